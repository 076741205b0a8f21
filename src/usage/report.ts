import { type Ledger, meterStates, type MeterState } from './ledger.ts';
import { type Price, priceOf } from './estimate.ts';
import type { Meter, Operation, Warning } from './operation.ts';

/** The account of one operation, as every response carries it. */
export interface UsageReport extends Record<Meter, MeterState & { used: number }> {
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

/** To be read after the last resolver has finished. Without an operation nothing was spent. */
export function reportUsage(ledger: Ledger, operation: Operation | undefined): UsageReport {
  const states = meterStates(ledger);
  const meter = (name: Meter) => ({ used: operation?.used[name] ?? 0, ...states[name] });
  return {
    fx: meter('fx'),
    macro: meter('macro'),
    credits: meter('credits'),
    upstream: {
      requests: operation?.requests ?? 0,
      cacheHits: operation?.cacheHits ?? 0,
      coalesced: operation?.coalesced ?? 0,
      stale: operation?.stale ?? 0,
      failed: operation?.failed ?? 0,
    },
    ...(operation?.estimate && { estimate: priceOf(operation.estimate, operation.maxRequests) }),
  };
}
