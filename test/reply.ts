import { z } from 'zod';

/** A GraphQL response as every client gets it: its account is checked against architecture.md each time. */

const count = z.int().nonnegative();
const meter = z.strictObject({
  used: count,
  usedThisMonth: count,
  limit: count.nullable(),
  remaining: count.nullable(),
});

const usage = z.strictObject({
  fx: meter,
  macro: meter,
  credits: meter,
  upstream: z.strictObject({
    requests: count,
    cacheHits: count,
    coalesced: count,
    stale: count,
    failed: count,
  }),
  /** If clients have names. */
  client: z
    .strictObject({
      name: z.string(),
      budgets: z.array(
        z.strictObject({
          meter: z.enum(['FX', 'MACRO', 'CREDITS']),
          window: z.enum(['DAY', 'MONTH']),
          limit: count,
          used: count,
          resetsAt: z.iso.datetime(),
        }),
      ),
    })
    .optional(),
  /** Only in dry runs. */
  estimate: z.unknown().optional(),
});

const failure = z.object({
  message: z.string().min(1),
  path: z.array(z.union([z.string(), z.int()])).optional(),
  extensions: z.looseObject({ code: z.string() }),
});

const response = z.strictObject({
  data: z.unknown().optional(),
  errors: z.array(failure).min(1).optional(),
  extensions: z.looseObject({
    usage,
    warnings: z
      .array(z.strictObject({ message: z.string(), dataset: z.string(), count }))
      .optional(),
    sandbox: z.literal(true).optional(),
  }),
});

type Response = z.infer<typeof response>;

export interface Reply<T = unknown> {
  status: number;
  data: T;
  /** Empty if nothing failed. */
  errors: z.infer<typeof failure>[];
  extensions: Response['extensions'];
}

export function readReply(status: number, text: string): Reply {
  const { data, errors = [], extensions } = response.parse(JSON.parse(text));
  return { status, data, errors, extensions };
}
