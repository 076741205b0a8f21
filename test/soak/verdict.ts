import { readMetrics, total } from './figures.ts';
import type { Gateway } from './gateway.ts';
import type { Child } from './processes.ts';
import { accountTable, countTable, judge, table, trendTable } from './report.ts';
import { countOf, isEqual, readAccounts } from './units.ts';
import type { work } from './work.ts';

/** What is printed at the end, and what of it is not as it must be. */

interface Verdict {
  /** Tables. */
  text: string;
  /** What is wrong, in a line each; nothing where all is well. */
  faults: string[];
}

const OPEN = ['subscriptions', 'event_streams', 'websockets'];
/** Answers that nobody may get, whatever the upstream does. */
const NEVER = ['INTERNAL_SERVER_ERROR', 'no answer', 'cut off'];
const LINES_OF_LOG = 5;

/** All clients have left, and nothing is under way. */
export async function verdictOn(
  gateway: Gateway,
  upstream: Child,
  worked: Awaited<ReturnType<typeof work>>,
  durationMs: number,
): Promise<Verdict> {
  const { windows, phases, opened, own, hot, answers, cpuMs } = worked;
  const { requests } = await countOf(upstream);
  const figures = judge(windows);
  const accounts = await readAccounts(gateway, upstream);
  const metrics = await readMetrics(gateway.adminUrl);
  const shares = cpuMs.map(([name, ms]) => [name, `${((100 * ms) / durationMs).toFixed(1)} %`]);
  const text = [
    `${own} operations, ${hot} pages, ${opened} connections of listeners, ${requests} upstream requests.\n`,
    trendTable(figures),
    accountTable(accounts),
    countTable('phases of trouble', phases),
    countTable('answers', answers),
    table(['processor', 'of a core'], shares),
    ...gateway.child.lines().slice(-LINES_OF_LOG),
  ];
  const isOpen = (kind: string) => total(metrics, `marketgraph_open_${kind}`) > 0;
  const faults = [
    ...figures
      .filter(({ isFlat, isLoad }) => !isFlat && !isLoad)
      .map(({ name }) => `${name} grows`),
    ...accounts.filter((one) => !isEqual(one)).map(({ meter }) => `accounts of ${meter} differ`),
    ...OPEN.filter(isOpen).map((kind) => `${kind} are open though all clients have left`),
    ...NEVER.filter((kind) => answers.has(kind)).map(
      (kind) => `${kind}: ${answers.get(kind)} times`,
    ),
  ];
  return { text: text.join('\n'), faults };
}
