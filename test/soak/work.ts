import { createDraw } from '../bench/economy-random.ts';
import { type Answers, runAtPace, createAsk } from './clients.ts';
import { makeTrouble } from './faults.ts';
import type { Values } from './figures.ts';
import { type Gateway, readManifest } from './gateway.ts';
import { listen } from './listeners.ts';
import { type Child, cpuMsOf } from './processes.ts';
import { createQuestions, hotPage } from './questions.ts';
import { WARM_UP } from './report.ts';
import { watch } from './watch.ts';

/** Everything that happens to the gateway at the same time, until the time is over. */

const PER_HOUR = 100_000;
const HOUR_MS = 3_600_000;
const HOT_SHARE = 0.25;
const SEED = 1;
/** Maximum size of one client's registered texts (documents/registrations.ts); reached before the warm-up ends. */
const REGISTRATIONS_BYTES = 4 * 2 ** 20;
const REGISTERED_SHARE = 0.03;
const MAX_PADDING = 500_000;

interface Work {
  gateway: Gateway;
  upstream: Child;
  durationMs: number;
  onWindow(window: Values, index: number): Promise<void>;
}

/** Returns a random stream for each kind of client, so that its draws do not depend on what the others do. */
const drawFor = (stream: number) => createDraw(SEED * 1000 + stream);

function paddingFor(operations: number): number {
  const texts = operations * WARM_UP * REGISTERED_SHARE;
  return Math.min(MAX_PADDING, Math.ceil((2 * REGISTRATIONS_BYTES) / texts));
}

/** Length of a phase of trouble: all kinds of trouble occur several times in the time that is judged. */
const phaseMs = (durationMs: number) => Math.max(2500, durationMs / 360);

/** Asks everything there is to ask; returns how many operations that were. */
async function askAll({ gateway, durationMs }: Work, answers: Answers, signal: AbortSignal) {
  const { url, keys } = gateway;
  const idOf = readManifest();
  const operations = Math.round((PER_HOUR * durationMs) / HOUR_MS);
  const weights = { idOf, padding: paddingFor(operations), key: keys[0]! };
  const questions = createQuestions(drawFor(2), weights);
  const pages = drawFor(3);
  const { ask, close } = createAsk({ url, keys, draw: drawFor(1), answers });
  const pace = { durationMs, signal };
  const [own, hot] = await Promise.all([
    runAtPace({ ...pace, operations }, (n) => ask(questions(n))),
    runAtPace({ ...pace, operations: operations * HOT_SHARE }, () => ask([hotPage(pages, idOf)])),
  ]);
  close();
  return { own, hot };
}

function startCpu({ gateway, upstream }: Work) {
  const now = () => ({
    gateway: gateway.child.cpuMs(),
    upstream: upstream.cpuMs(),
    clients: cpuMsOf(process.pid),
  });
  const before = now();
  return () =>
    Object.entries(now()).map(
      ([name, ms]) => [name, ms - before[name as keyof typeof before]] as const,
    );
}

export async function work(all: Work) {
  const { gateway, upstream, durationMs, onWindow } = all;
  const { url, keys } = gateway;
  const answers: Answers = new Map();
  const over = new AbortController();
  const { signal } = over;
  const cpu = startCpu(all);
  const others = Promise.all([
    askAll(all, answers, signal),
    makeTrouble(upstream, drawFor(4), phaseMs(durationMs), signal),
    listen({ url, keys, draw: drawFor(5), answers }, signal),
  ]);
  const windows = await watch({ gateway, durationMs, onWindow });
  const cpuMs = cpu();
  over.abort();
  const [asked, phases, opened] = await others;
  return { ...asked, windows, phases, opened, answers, cpuMs };
}
