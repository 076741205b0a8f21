import { setTimeout as sleep } from 'node:timers/promises';
import { METERS } from '../../src/meters.ts';
import { readMetrics, total } from './figures.ts';
import type { Gateway } from './gateway.ts';
import type { Child } from './processes.ts';
import type { UpstreamCount } from './upstream.ts';

/** Checks whether all accounts of what was spent agree. */

/** Units of one meter according to each account. */
export interface Account {
  meter: string;
  upstream: number;
  ledger: number;
  metrics: number;
  csv: number;
}

const QUIET_MS = 7000;
const POLL_MS = 500;

export const countOf = async (upstream: Child) => (await upstream.ask('count')) as UpstreamCount;

/** Waits until nothing has been sent upstream for QUIET_MS: longer than a request may take. */
export async function whenQuiet(upstream: Child): Promise<void> {
  let { requests } = await countOf(upstream);
  let since = performance.now();
  while (performance.now() - since < QUIET_MS) {
    await sleep(POLL_MS);
    const now = await countOf(upstream);
    if (now.requests !== requests) since = performance.now();
    requests = now.requests;
  }
}

async function readLedger({
  url,
  keys,
}: Gateway): Promise<Record<string, { usedThisMonth: number }>> {
  const query = `{ usage { ${METERS.map((meter) => `${meter} { usedThisMonth }`).join(' ')} } }`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[0]}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as {
    data: { usage: Record<string, { usedThisMonth: number }> };
  };
  return data.usage;
}

/** Returns lines of hour, meter, client, operation, dataset and units. */
async function readCsv({ adminUrl }: Gateway): Promise<readonly string[][]> {
  const text = await (await fetch(`${adminUrl}/spent.csv`)).text();
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

/** Reads `Query.usage`, the metrics and spent.csv, and what the upstream has counted. */
export async function readAccounts(gateway: Gateway, upstream: Child): Promise<Account[]> {
  const ledger = await readLedger(gateway);
  const metrics = await readMetrics(gateway.adminUrl);
  const lines = await readCsv(gateway);
  const { spent } = await countOf(upstream);
  return METERS.map((meter) => {
    const own = lines.filter((line) => line[1]?.toLowerCase() === meter);
    return {
      meter,
      upstream: spent[meter],
      ledger: ledger[meter]!.usedThisMonth,
      metrics: total(metrics, 'marketgraph_units_total', { meter }),
      csv: own.reduce((sum, line) => sum + Number(line.at(-1)), 0),
    };
  });
}

export const isEqual = ({ upstream, ledger, metrics, csv }: Account): boolean =>
  [ledger, metrics, csv].every((units) => units === upstream);
