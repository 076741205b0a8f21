import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { createSingleFlight } from '../../cache/single-flight.ts';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { parseInstant } from '../../time.ts';
import { noteFreshUntil } from '../../usage/operation.ts';

/** Health response of spec section 2.3. */
const report = z.object({
  success: z.boolean(),
  // An odd value beside says nothing against the upstream.
  status: z.string().nullable().catch(null),
  db: z.boolean().nullable().catch(null),
  cache: z.boolean().nullable().catch(null),
  time: z
    .string()
    .transform((time) => parseInstant(time, 'UTC') ?? null)
    .nullable()
    .catch(null),
});

export interface UpstreamHealthShape {
  ok: boolean;
  status: string | null;
  db: boolean | null;
  cache: boolean | null;
  time: string | null;
}

const UNREACHABLE: UpstreamHealthShape = {
  ok: false,
  status: null,
  db: null,
  cache: null,
  time: null,
};

/** A check costs nothing, but anybody may ask for it: for so long after one has begun, what it has found is told. */
const PAUSE_MS = 100;

/** One check at a time: whoever asks meanwhile shares it. */
const checks = createContextCache(({ monotonic }: Gateway) => {
  const singleFlight = createSingleFlight<UpstreamHealthShape>(monotonic);
  let last = UNREACHABLE;
  let lastAt = -Infinity;

  async function checkOrTellLast(context: Context): Promise<UpstreamHealthShape> {
    if (monotonic() - lastAt < PAUSE_MS) return last;
    lastAt = monotonic();
    return (last = await check(context));
  }

  return (context: Context) =>
    // A dry run asks nobody.
    context.operation.estimate
      ? check(context)
      : singleFlight('health', context.operation, () => checkOrTellLast(context));
});

/** One check an operation. Its answer holds for this moment only. */
export const loadHealth = perOperation((context: Context) => {
  noteFreshUntil(context.operation, -Infinity);
  return checks(context.gateway)(context);
});

/** An upstream that does not answer is an answer to this question, not a failure of it. */
async function check({ gateway, operation }: Context): Promise<UpstreamHealthShape> {
  try {
    const { status, body } = await gateway.client.health(operation);
    const { success, data } = report.safeParse(body);
    return success ? { ...data, ok: data.success && status < 300 } : UNREACHABLE;
  } catch {
    return UNREACHABLE;
  }
}
