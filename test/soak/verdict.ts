import { readMetrics, total } from './figures.ts';
import type { Gateway } from './gateway.ts';
import type { Child } from './processes.ts';
import { accountTable, countTable, judge, type Judged, table, trendTable } from './report.ts';
import { countOf, isEqual, readAccounts } from './units.ts';
import type { work } from './work.ts';

/** What is printed at the end of a soak, and what is wrong with it. */

interface Verdict {
  /** Tables. */
  text: string;
  /** What is wrong, one line each; empty if all is well. */
  faults: string[];
}

const OPEN_GAUGES = ['subscriptions', 'event_streams', 'websockets'];
/** Maximum number of output lines of the gateway that the verdict quotes. */
const MAX_LINES = 10;
/** What no client may get, whatever the upstream does: the beginnings of kinds of answers. */
const FORBIDDEN = ['INTERNAL_SERVER_ERROR', 'no answer', 'cut off'];
const isForbidden = (kind: string) => FORBIDDEN.some((start) => kind.startsWith(start));

type Worked = Awaited<ReturnType<typeof work>>;

/** To be called when all clients have left and nothing is under way. */
export async function verdictOn(
  gateway: Gateway,
  upstream: Child,
  worked: Worked,
  durationMs: number,
): Promise<Verdict> {
  const { windows, phases, opened, own, hot, answers, cpuMs } = worked;
  const { requests } = await countOf(upstream);
  const figures = judge(windows);
  const accounts = await readAccounts(gateway, upstream);
  const shares = cpuMs.map(([name, ms]) => [name, `${((100 * ms) / durationMs).toFixed(1)} %`]);
  const text = [
    `${own} operations, ${hot} pages, ${opened} connections of listeners, ${requests} upstream requests.\n`,
    trendTable(figures),
    accountTable(accounts),
    countTable('phases of trouble', phases),
    countTable('answers', answers),
    table(['processor', 'of a core'], shares),
  ];
  const faults = [
    ...figures.filter(hasGrown).map(({ name }) => `${name} grows`),
    ...accounts.filter((one) => !isEqual(one)).map(({ meter }) => `accounts of ${meter} differ`),
    ...(await stillOpen(gateway)).map((kind) => `${kind} are open though all clients have left`),
    ...written(gateway).map((line) => `the gateway wrote: ${line}`),
    ...[...answers.keys()].filter(isForbidden).map((kind) => `an answer was: ${kind}`),
  ];
  return { text: text.join('\n'), faults };
}

const hasGrown = ({ isFlat, isInformational }: Judged) => !isFlat && !isInformational;

async function stillOpen({ adminUrl }: Gateway): Promise<string[]> {
  const metrics = await readMetrics(adminUrl);
  return OPEN_GAUGES.filter((kind) => total(metrics, `marketgraph_open_${kind}`) > 0);
}

/** Returns output lines that are not warnings of the log (JSON): nothing in a soak is an error of the gateway. */
const written = ({ child }: Gateway): string[] =>
  child
    .lines()
    .filter((line) => !line.startsWith('{"level":40,'))
    .slice(0, MAX_LINES);
