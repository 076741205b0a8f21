import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import type { Context, Gateway } from '../../graph/context.ts';
import { parseInstant } from '../../time.ts';
import { noteUntil } from '../../usage/operation.ts';

/** Health response of spec section 2.3. */
const report = z.object({
  success: z.boolean(),
  status: z.string().nullish().default(null),
  db: z.boolean().nullish().default(null),
  cache: z.boolean().nullish().default(null),
  time: z
    .string()
    .nullish()
    .transform((time) => (time ? (parseInstant(time, 'UTC') ?? null) : null)),
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

/** One check at a time: whoever asks meanwhile shares it. */
const underWay = createContextCache((_gateway: Gateway) => ({
  check: undefined as Promise<UpstreamHealthShape> | undefined,
}));

/** One check an operation. */
export const loadHealth = createContextCache(check);

/** An upstream that does not answer is an answer to this question, not a failure of it. */
async function check({ gateway, operation }: Context): Promise<UpstreamHealthShape> {
  const current = underWay(gateway);
  noteUntil(operation, 0);
  if (current.check) {
    operation.coalesced += 1;
    return current.check;
  }
  current.check = gateway.client
    .health(operation)
    .then(({ status, body }) => {
      const { success, data } = report.safeParse(body);
      return success ? { ...data, ok: data.success && status < 300 } : UNREACHABLE;
    })
    .catch(() => UNREACHABLE)
    .finally(() => {
      current.check = undefined;
    });
  return current.check;
}
