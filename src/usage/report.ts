import { type Meter, perMeter } from '../meters.ts';
import { type Price, priceOf } from './estimate.ts';
import type { Ledger, MeterState } from './units.ts';
import type { Operation, Warning } from './operation.ts';

/** The account of one operation, as every response carries it. */
interface UsageReport extends Record<Meter, MeterState & { used: number }> {
  upstream: {
    requests: number;
    cacheHits: number;
    coalesced: number;
    stale: number;
    failed: number;
  };
  /** Of a dry run: units the operation would spend now. */
  estimate?: Price;
}

export interface Extensions {
  usage: UsageReport;
  warnings?: readonly Warning[];
  /** Present where the data are the sandbox's. */
  sandbox?: true;
}

const NOTHING = { healthChecks: 0, cacheHits: 0, coalesced: 0, stale: 0, failed: 0 };

/** Call it after the last resolver has finished. Without an operation nothing was spent. */
function reportUsage(ledger: Ledger, operation: Operation | undefined): UsageReport {
  const { healthChecks, cacheHits, coalesced, stale, failed } = operation ?? NOTHING;
  const requests = (operation?.requests ?? 0) + healthChecks;
  const states = ledger.states();
  return {
    ...perMeter((meter) => ({ used: operation?.used[meter] ?? 0, ...states[meter] })),
    upstream: { requests, cacheHits, coalesced, stale, failed },
    ...(operation?.estimate && {
      estimate: priceOf(operation.estimate, operation.maxRequests, ledger.left),
    }),
  };
}

/** The `extensions` of operations whose whole response was in the cache, as JSON; `parts` of the cache were in it. */
export type HitExtensions = (parts: number) => string;

/** Hot answers differ by nothing else: the texts are kept until something is spent. */
export function createHitExtensions(ledger: Ledger, sandbox: boolean): HitExtensions {
  const texts = new Map<number, string>();
  let states: unknown;

  function write(parts: number): string {
    const { usage, ...rest } = extensionsOf(ledger, undefined, sandbox);
    const upstream = { ...usage.upstream, cacheHits: parts };
    return JSON.stringify({ usage: { ...usage, upstream }, ...rest });
  }

  return (parts) => {
    const current = ledger.states();
    if (current !== states) texts.clear();
    states = current;
    const text = texts.get(parts) ?? write(parts);
    texts.set(parts, text);
    return text;
  };
}

/** The `extensions` of every response. */
export function extensionsOf(
  ledger: Ledger,
  operation: Operation | undefined,
  sandbox: boolean,
): Extensions {
  return {
    usage: reportUsage(ledger, operation),
    ...(operation?.warnings.size && { warnings: [...operation.warnings] }),
    ...(sandbox && { sandbox }),
  };
}
