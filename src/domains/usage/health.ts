import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { createSingleFlight } from '../../cache/single-flight.ts';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { parseInstant } from '../../time.ts';
import { noteFreshUntil } from '../../usage/operation.ts';

/** Health response of spec section 2.3. */
const report = z.object({
  success: z.boolean(),
  // An unreadable value in any other field does not mean that the upstream is unhealthy.
  status: z.string().nullable().catch(null),
  db: z.boolean().nullable().catch(null),
  cache: z.boolean().nullable().catch(null),
  time: z
    .string()
    .transform((time) => parseInstant(time, 'UTC') ?? null)
    .nullable()
    .catch(null),
});

export type UpstreamHealthShape = Omit<z.infer<typeof report>, 'success'> & { ok: boolean };

const UNREACHABLE: UpstreamHealthShape = {
  ok: false,
  status: null,
  db: null,
  cache: null,
  time: null,
};

/**
 * How long after the start of a check its result is reused, in milliseconds: checks cost no units, but any client can
 * trigger them.
 */
const PAUSE_MS = 100;

/** Runs one check at a time; requests that arrive meanwhile share it. */
const checks = createContextCache(({ monotonic }: Gateway) => {
  const singleFlight = createSingleFlight<UpstreamHealthShape>(monotonic);
  let last = UNREACHABLE;
  let lastAt = -Infinity;

  async function checkOrReuseLast(context: Context): Promise<UpstreamHealthShape> {
    if (monotonic() - lastAt < PAUSE_MS) return last;
    lastAt = monotonic();
    return (last = await check(context));
  }

  return (context: Context) =>
    // A dry run sends nothing, so its outcome must be neither shared nor remembered.
    context.operation.estimate
      ? check(context)
      : singleFlight('health', context.operation, () => checkOrReuseLast(context));
});

/** Loads the health, once per operation. The answer holds for this moment only, so the response is never fresh. */
export const loadHealth = perOperation((context: Context) => {
  noteFreshUntil(context.operation, -Infinity);
  return checks(context.gateway)(context);
});

/** Sends one check. An upstream that does not answer is reported as unreachable, not as an error. */
async function check({ gateway, operation }: Context): Promise<UpstreamHealthShape> {
  try {
    const { status, body } = await gateway.client.health(operation);
    const { success, data } = report.safeParse(body);
    return success ? { ...data, ok: data.success && status < 300 } : UNREACHABLE;
  } catch {
    return UNREACHABLE;
  }
}
