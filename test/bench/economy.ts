import { measureUnused } from './economy-bytes.ts';
import { withForesight, withExactCache, withoutCache } from './economy-costs.ts';
import { withFirstStart } from './economy-first-start.ts';
import { notebookTrace } from './economy-notebook.ts';
import type { DirectRequest } from './economy-questions.ts';
import { marketOf, openSandbox, replay } from './economy-replay.ts';
import { dashboardsTrace, mobileTrace } from './economy-screens.ts';
import { marketTrace } from './economy-trace.ts';
import type { Trace } from './economy-visits.ts';

/**
 * What four kinds of users cost upstream: without a cache, with a cache of exact requests, with this product, and
 * the least that a gateway on its very first start, and any gateway with perfect foresight, could spend.
 *
 *   npm run bench:economy [-- market|notebook|dashboards|mobile]
 */

const OPERATIONS = 5000;
const DURATION_MS = 125_000;
const GROWTH = [1000, 50_000];

const print = (line: string) => void process.stdout.write(`${line}\n`);
const column = (value: string | number, width = 12) => String(value).padStart(width);

const sandbox = await openSandbox();
const market = marketOf(sandbox);
const only = process.argv[2] ?? '';

const prices = new Map<string, number>();
function price({ path }: DirectRequest): number {
  const group = path.startsWith('/v1') ? 'A' : 'B';
  const known = prices.get(path) ?? Number(sandbox.answer(group, path).status === 200);
  prices.set(path, known);
  return known;
}

/** The results of one trace. */
interface Figures {
  units: number;
  first: number;
  best: number;
  unusedShare: number;
}

interface Goal {
  trace: Trace;
  isMissed(figures: Figures): boolean;
}

/** Units spent before requests were merged and extended as they are now. */
const EARLIER_UNITS = { dashboards: 470, mobile: 5802 };

const { today } = market;
const notebook = { ...market, today: today - 1 };
const goals: Goal[] = [
  {
    trace: marketTrace(market, OPERATIONS, DURATION_MS),
    isMissed: ({ units, first }) => units > 1.03 * first,
  },
  { trace: notebookTrace(notebook), isMissed: ({ units, best }) => units > 1.15 * best },
  {
    trace: dashboardsTrace(market),
    isMissed: ({ units }) => units > 0.7 * EARLIER_UNITS.dashboards,
  },
  {
    trace: mobileTrace(market),
    isMissed: ({ units, unusedShare }) => units > EARLIER_UNITS.mobile || unusedShare > 0.6,
  },
];

const HEAD = ['operations', 'no cache', 'exact', 'units', 'first start', 'at best', 'in vain'];
print(`${''.padEnd(12)}${HEAD.map((name) => column(name)).join('')}`);
for (const { trace, isMissed } of goals.filter((goal) => goal.trace.name.startsWith(only))) {
  const day = trace.name === 'notebook' ? today - 1 : today;
  const [none, exact] = [withoutCache(trace, price), withExactCache(trace, price)];
  const [first, best] = [withFirstStart(trace, day), withForesight(trace, day)];
  const paid = await replay(trace);
  const unusedShare = measureUnused(trace, paid, sandbox);
  const share = `${Math.round(unusedShare * 100)} %`;
  const figures = [trace.visits.length, none, exact, paid.length, first, best, share];
  print(`${trace.name.padEnd(12)}${figures.map((value) => column(value)).join('')}`);
  if (isMissed({ units: paid.length, first, best, unusedShare })) process.exitCode = 1;
}

if ('market page'.startsWith(only)) {
  print('\nunits of the market page by number of operations, in the same time');
  print(['operations', 'units', 'first start', 'at best'].map((name) => column(name)).join(''));
  for (const count of GROWTH) {
    const trace = marketTrace(market, count, DURATION_MS);
    const { length } = await replay(trace);
    const figures = [count, length, withFirstStart(trace, today), withForesight(trace, today)];
    print(figures.map((value) => column(value)).join(''));
  }
}
await sandbox.close();
