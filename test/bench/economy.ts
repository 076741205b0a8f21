import { atBest, withExactCache, withoutCache } from './economy-costs.ts';
import type { Direct } from './economy-questions.ts';
import { marketOf, openSandbox, replay } from './economy-replay.ts';
import { createTrace } from './economy-trace.ts';

/**
 * What operations of a market page cost upstream: without a cache, with a cache of exact requests,
 * with this product, and at best. Prices live for 30 s and everything else for 300 s.
 *
 *   npm run bench:economy
 */

const OPERATIONS = 5000;
const DURATION_MS = 125_000;
const GROWTH = [1000, 5000, 20_000, 50_000];
const TARGETS = { overFloor: 1.2, underExact: 8 };

const print = (line: string) => void process.stdout.write(`${line}\n`);
const column = (value: string | number, width: number) => String(value).padStart(width);

const sandbox = await openSandbox();
const market = marketOf(sandbox);

const prices = new Map<string, number>();
function price({ group, path }: Direct): number {
  let known = prices.get(path);
  if (known === undefined) {
    known = sandbox.answer(group, path).status === 200 ? 1 : 0;
    prices.set(path, known);
  }
  return known;
}

const visits = createTrace(market, OPERATIONS, DURATION_MS);
const paid = await replay(visits);
const product = paid.length;
const exact = withExactCache(visits, price);
const floor = atBest(visits);

print(`${OPERATIONS} operations in ${DURATION_MS / 1000} s`);
print('units per 1,000 operations');
const rows = [
  ['no cache', withoutCache(visits, price)],
  ['cache of exact requests', exact],
  ['this product', product],
  ['at best', floor],
] as const;
for (const [name, units] of rows)
  print(`  ${name.padEnd(26)}${column(((units * 1000) / OPERATIONS).toFixed(1), 9)}`);
const overFloor = product / floor;
const underExact = exact / product;
print(`this product: ${overFloor.toFixed(2)} times the best (at most ${TARGETS.overFloor}),`);
print(`  ${underExact.toFixed(1)} times less than exact requests (at least ${TARGETS.underExact})`);

print('\nunits by operations, in the same time');
print(`${column('operations', 12)}${column('units', 8)}${column('at best', 9)}`);
for (const count of GROWTH) {
  const more = count === OPERATIONS ? visits : createTrace(market, count, DURATION_MS);
  const units = count === OPERATIONS ? product : (await replay(more)).length;
  print(`${column(count, 12)}${column(units, 8)}${column(atBest(more), 9)}`);
}
await sandbox.close();
if (overFloor > TARGETS.overFloor || underExact < TARGETS.underExact) process.exitCode = 1;
