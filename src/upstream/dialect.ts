import type { z } from 'zod';
import type { FailureCode, Group } from './errors.ts';

/** The envelope of a success answer, as both groups' dialects read it. */
export interface Envelope {
  data: unknown[];
  source?: string | undefined;
  asOf?: string | undefined;
  license?: string | null | undefined;
  cached?: boolean | null | undefined;
  total?: unknown;
  timezone?: string | null | undefined;
  timestamp?: string | null | undefined;
}

/** `NOT_FOUND` is no failure yet: the endpoint knows whether it means that nothing matches. */
export type Refusal = FailureCode | 'NOT_FOUND';

/** How one group authenticates, wraps its data and refuses. */
export interface Dialect {
  group: Group;
  headers(key: string): Record<string, string>;
  envelope: z.ZodType<Envelope>;
  /** Refusals by the upstream's machine code: it counts wherever in the body it stands. */
  codes: Readonly<Record<string, Refusal>>;
  /** Refusals by status, for bodies without a known code. */
  statuses: Readonly<Record<number, Refusal>>;
}

/** What a refused request means. The shape of Group B's error body is not specified (section 7). */
export function refusalOf(dialect: Dialect, status: number, body: string): Refusal {
  for (const word of body.match(/[a-z]+(?:_[a-z]+)+/g) ?? []) {
    const refusal = dialect.codes[word];
    if (refusal) return refusal;
  }
  const fallback = status >= 500 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_BAD_RESPONSE';
  return dialect.statuses[status] ?? fallback;
}
