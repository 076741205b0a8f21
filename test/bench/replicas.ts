import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { spreadOfHerd } from './replicas-herd.ts';
import { dayAt } from '../../src/time.ts';
import { SERVER_PROGRAM } from '../valkey.ts';
import { createDraw } from './economy-random.ts';
import { marketOf, openSandbox } from './economy-replay.ts';
import { marketTrace } from './economy-trace.ts';
import type { Visit } from './economy-visits.ts';
import { readCosts } from './replicas-read.ts';
import { ask, type Place, SPEED, withReplicas } from './replicas-gateways.ts';

/**
 * What several replicas spend on the trace of `bench:economy` if each operation goes to a random one of them: with
 * shared data in a file, on a Valkey or Redis server if one is installed, and with nothing shared; what a single one
 * spends if it is killed and restarted halfway; how they answer a herd; and how long it takes to read a kept answer.
 * Real processes run in real time, twice as fast: times to live and the trace are half as long as there.
 *
 *   npm run bench:replicas          a quarter of an hour
 *   npm run bench:replicas -- 5     the clock five times as fast: six minutes
 */

const OPERATIONS = 5000;
const DURATION_MS = 125_000 / SPEED;
const REPLICAS = [1, 2, 4, 8];
const GATEWAYS_BY_QUESTION = 4;
const MAX_RATIO = 1.05;
/** Maximum time to read a small answer. */
const MAX_READ_MS = { file: 0.2, server: 0.5 };
const HERD = { replicas: 4, each: 100, latencyMs: 200, mostMs: 50 };

const print = (line: string) => void process.stdout.write(`${line}\n`);
const places: ('file' | 'server')[] = SERVER_PROGRAM ? ['file', 'server'] : ['file'];
let isMissed = false;

interface Run {
  count: number;
  place: Place;
  /**
   * Whether a question always goes to the same gateway, which thus sees few others. By default each visit goes to a
   * random one.
   */
  isByQuestion?: boolean;
  /** Whether each gateway is killed halfway and started again. */
  isRestarted?: boolean;
}

/** Returns the queries of a visit, and which gateway each of them is sent to. */
type Split = (questions: Visit['questions']) => { query: string; which: number }[];

const queryOf = (questions: Visit['questions']) =>
  `{ ${questions.map(({ field }, n) => `q${n}: ${field}`).join(' ')} }`;

function createSplit({ count, isByQuestion }: Run): Split {
  const draw = createDraw(count);
  if (!isByQuestion) return (all) => [{ query: queryOf(all), which: draw.whole(count) }];
  return (all) => all.map((one) => ({ query: queryOf([one]), which: placeOf(one.field, count) }));
}

/** Returns the same gateway for the same text; all of them come up about equally often. */
const placeOf = (text: string, count: number) => hash('md5', text, 'buffer').readUInt32LE() % count;

/** Returns the units that the trace costs. */
function spend(visits: readonly Visit[], run: Run): Promise<number> {
  const { count, place, isRestarted } = run;
  const split = createSplit(run);
  return withReplicas({ count, place }, async ({ gateways, requests, restart }) => {
    let began = performance.now();
    const asked: Promise<string>[] = [];
    for (const [i, { at, questions }] of visits.entries()) {
      const wait = began + at / SPEED - performance.now();
      if (wait > 0) await sleep(wait);
      if (isRestarted && i === Math.floor(visits.length / 2)) {
        await Promise.all(asked);
        const stopped = performance.now();
        for (const which of gateways.keys()) await restart(which);
        began += performance.now() - stopped;
      }
      for (const { query, which } of split(questions)) asked.push(ask(gateways[which]!, query));
    }
    await Promise.all(asked);
    return requests();
  });
}

/**
 * Sends many equal cold questions to several gateways. Returns the upstream requests, and how long after the first
 * answer the last one came.
 */
function herd(place: Place): Promise<{ requests: number; lastMs: number }> {
  const { replicas: count, each, latencyMs } = HERD;
  return withReplicas({ count, place, latencyMs }, async ({ gateways, requests }) => {
    const all = async (query: string) => {
      const before = await requests();
      const lastMs = await spreadOfHerd(gateways, query, each);
      return { requests: (await requests()) - before, lastMs };
    };
    // Newly started processes run code that is not compiled yet.
    for (const currency of ['USD', 'TRY'])
      await all(`{ cryptoAssets(first: 20, convert: ${currency}) { nodes { symbol price } } }`);
    return all('{ cryptoAssets(first: 20, convert: EUR) { nodes { symbol price } } }');
  });
}

const cell = (value: number | string) => String(value).padStart(14);

async function printSpending(visits: readonly Visit[]): Promise<void> {
  print(`${OPERATIONS} operations in ${DURATION_MS / 1000} s, units`);
  print(`      replicas${places.map(cell).join('')}${cell('not shared')}`);
  const alone = await spend(visits, { count: 1, place: 'nowhere' });
  for (const count of REPLICAS) {
    const shared: number[] = [];
    for (const place of places) shared.push(await spend(visits, { count, place }));
    const unshared = count === 1 ? alone : await spend(visits, { count, place: 'nowhere' });
    isMissed ||= shared.some((units) => units > alone * MAX_RATIO);
    const shares = shared.map((units) => `${units} (${(units / alone).toFixed(2)})`);
    print(`${cell(count)}${shares.map(cell).join('')}${cell(unshared)}`);
  }
  await printByQuestion(visits);
  const restarted: number[] = [];
  for (const place of places)
    restarted.push(await spend(visits, { count: 1, place, isRestarted: true }));
  print(`${cell('1, restarted')}${restarted.map(cell).join('')}`);
  print(`at most ${MAX_RATIO} times one process`);
}

/** Each process sees only its own questions, so that what one learns has to reach all others. */
async function printByQuestion(visits: readonly Visit[]): Promise<void> {
  const common = { place: places.at(-1)!, isByQuestion: true };
  const alone = await spend(visits, { ...common, count: 1 });
  const several = await spend(visits, { ...common, count: GATEWAYS_BY_QUESTION });
  const ratio = several / alone;
  isMissed ||= ratio > MAX_RATIO;
  print(
    `each question always at the same one of ${GATEWAYS_BY_QUESTION}, ${common.place}: ${several} (${ratio.toFixed(2)})`,
  );
}

async function printReading(place: 'file' | 'server'): Promise<void> {
  for (const { bytes, readMs, afterPausesMs, parseMs, slowestMs, longestStopMs } of await readCosts(
    place,
  )) {
    const maxMs = bytes > 100_000 ? 5 : MAX_READ_MS[place];
    print(
      `reading an answer of ${bytes} bytes, ${place}: ${readMs.toFixed(2)} ms (at most ${maxMs}),`,
    );
    print(`  ${afterPausesMs.toFixed(2)} ms after a pause of a millisecond,`);
    print(
      `  parsing it ${parseMs.toFixed(2)} ms; slowest ${slowestMs.toFixed(2)} ms, the event loop`,
    );
    print(`  was blocked for ${longestStopMs.toFixed(0)} ms at most`);
    isMissed ||= readMs > maxMs;
  }
}

async function printHerd(place: Place): Promise<void> {
  const { requests: sent, lastMs } = await herd(place);
  print(
    `a herd of ${HERD.each} on each of ${HERD.replicas}, ${place}: ${sent} request(s), the last`,
  );
  print(`  answered ${lastMs.toFixed(0)} ms after the first (at most ${HERD.mostMs})`);
  isMissed ||= sent !== 1 || lastMs > HERD.mostMs;
}

const sandbox = await openSandbox(Date.now);
const market = { ...marketOf(sandbox), today: dayAt(Date.now(), 'Europe/Istanbul') };
await sandbox.close();
if (!SERVER_PROGRAM) print('no valkey-server or redis-server on the PATH: only files are measured');
for (const place of places) await printReading(place);
for (const place of places) await printHerd(place);
await printSpending(marketTrace(market, OPERATIONS, DURATION_MS * SPEED).visits);
if (isMissed) process.exitCode = 1;
