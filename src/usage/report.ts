import { type Meter, perMeter } from '../meters.ts';
import { type Price, priceOf } from './estimate.ts';
import type { Budget, BudgetState, Ledger, MeterState, Payer } from './units.ts';
import type { Operation, Warning } from './operation.ts';

/** The usage of one operation, as every response carries it. */
interface UsageReport extends Record<Meter, MeterState & { used: number }> {
  upstream: {
    requests: number;
    cacheHits: number;
    coalesced: number;
    stale: number;
    failed: number;
  };
  /** Budgets of the client that asks, if clients have names. */
  client?: ClientReport;
  /** In a dry run: units the operation would spend now. */
  estimate?: Price;
}

interface ClientReport {
  name: string;
  budgets: readonly BudgetReport[];
}

/** A budget in the terms of the schema. */
interface BudgetReport {
  meter: string;
  window: Budget['window'];
  limit: number;
  used: number;
  resetsAt: string;
}

export interface Extensions {
  usage: UsageReport;
  warnings?: readonly Warning[];
  /** Present if the data are the sandbox's. */
  sandbox?: true;
}

const NOTHING = { healthChecks: 0, cacheHits: 0, coalesced: 0, stale: 0, failed: 0 };

/** To be called after the last resolver has finished. Without an operation nothing was spent. */
function reportUsage(
  ledger: Ledger,
  operation: Operation | undefined,
  client: Payer | undefined,
): UsageReport {
  const { healthChecks, cacheHits, coalesced, stale, failed } = operation ?? NOTHING;
  const requests = (operation?.requests ?? 0) + healthChecks;
  const states = ledger.states();
  return {
    ...perMeter((meter) => ({ used: operation?.used[meter] ?? 0, ...states[meter] })),
    upstream: { requests, cacheHits, coalesced, stale, failed },
    ...(client && { client: reportClient(ledger, client) }),
    ...(operation?.estimate && {
      estimate: priceOf(operation.estimate, operation, ledger, client),
    }),
  };
}

/** Returns what a client may spend, and has spent. */
export function reportClient(ledger: Ledger, client: Payer): ClientReport {
  return { name: client.name, budgets: ledger.budgets(client).map(budgetReport) };
}

const budgetReport = ({ meter, resetsAt, ...budget }: BudgetState): BudgetReport => ({
  meter: meter.toUpperCase(),
  ...budget,
  resetsAt: new Date(resetsAt).toISOString(),
});

/**
 * Returns the end of a response (`,"extensions":...}`) whose data all came from the cache. `parts`: how many cached
 * values it is made of. `warnings`: about those values.
 */
type HitExtensions = (parts: number, options: HitOptions, warnings: ReadonlySet<Warning>) => string;

interface HitOptions {
  client?: Payer | undefined;
  /** Whether it had to wait for another operation to get the response: its parts count as coalesced. */
  isJoined: boolean;
  /** Now, by the monotonic clock, if known. */
  at?: number;
}

/**
 * Cache hits without warnings differ only by client, `parts` and `isJoined`, so the texts are kept until something is
 * spent. `tailOf` makes the end of a response out of the JSON of its `extensions`.
 */
export function createHitExtensions(
  { ledger, sandbox }: ReportContext,
  tailOf: (extensions: string) => string,
): HitExtensions {
  const texts = new Map<Payer | undefined, Map<number, { text: string; budgets: unknown }>>();
  let states: unknown;

  function write(
    parts: number,
    { client, isJoined }: HitOptions,
    warnings: ReadonlySet<Warning>,
  ): string {
    const { usage, ...rest } = extensionsOf({ ledger, sandbox }, undefined, client);
    const counted = isJoined ? { coalesced: parts } : { cacheHits: parts };
    const upstream = { ...usage.upstream, ...counted };
    const account = { usage: { ...usage, upstream }, ...warningsIn(warnings), ...rest };
    return tailOf(JSON.stringify(account));
  }

  return (parts, options, warnings) => {
    if (warnings.size > 0) return write(parts, options, warnings);
    const { client, isJoined, at } = options;
    const current = ledger.states(at);
    if (current !== states) texts.clear();
    states = current;
    const budgets = client && ledger.budgets(client, current);
    // Negative: the text in which the parts count as coalesced.
    const key = isJoined ? -parts : parts;
    const ofClient = texts.get(client);
    const known = ofClient?.get(key);
    if (known && known.budgets === budgets) return known.text;
    const text = write(parts, options, warnings);
    if (ofClient) ofClient.set(key, { text, budgets });
    else texts.set(client, new Map([[key, { text, budgets }]]));
    return text;
  };
}

interface ReportContext {
  ledger: Ledger;
  sandbox: boolean;
}

const warningsIn = (warnings: ReadonlySet<Warning>) =>
  warnings.size > 0 ? { warnings: [...warnings] } : undefined;

/** Returns the `extensions` of a response. */
export function extensionsOf(
  { ledger, sandbox }: ReportContext,
  operation?: Operation,
  client?: Payer,
): Extensions {
  return {
    usage: reportUsage(ledger, operation, client),
    ...(operation && warningsIn(operation.warnings)),
    ...(sandbox && { sandbox }),
  };
}
