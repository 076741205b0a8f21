import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { METERS } from '../../src/meters.ts';
import { listen } from '../../src/transport/node.ts';
import { access, connect, temporaryFolder } from '../harness.ts';
import { FRIDAY_NOON } from '../sandbox/harness.ts';
import { openSse, type Method } from './sse.ts';
import type { Subscriber } from './subscriber.ts';
import { openSocket, type Socket } from './socket.ts';

/** A gateway whose clock runs, over an upstream whose data move only when the test says so. */

export interface Live {
  url: string;
  app: App;
  sandbox: Sandbox;
  /** Lets the upstream's prices move on. */
  step(): void;
  /** Subscribes over server-sent events. */
  sse(query: string, variables?: object, method?: Method): Promise<Subscriber>;
  /** A client with one WebSocket. */
  socket(): Socket;
  ask: ReturnType<typeof connect>['ask'];
  /** Takes down gateway and listener, as a process does at its end. */
  close(): Promise<void>;
}

export interface LiveOptions {
  env?: Record<string, string>;
  /** When the gateway's clock starts to run. */
  at?: number;
  /** Lets the upstream's clock run along. */
  runs?: boolean;
}

const STEP_MS = 5000;

/** How long a request takes that is under way when somebody leaves. */
const SETTLED_MS = 60;

export async function open({ env, at = FRIDAY_NOON, runs }: LiveOptions = {}): Promise<Live> {
  const started = Date.now();
  const now = () => at + Date.now() - started;
  let upstreamAt = at;
  const sandbox = await startSandbox({ now: runs ? now : () => upstreamAt });
  const config = readConfig({ DATA_DIR: temporaryFolder(), ...access(sandbox), ...env });
  const app = await createApp({ ...config, logLevel: 'silent' }, { now });
  const server = await listen(app, '127.0.0.1', 0);
  const url = `${server.url}/graphql`;
  const all: Subscriber[] = [];
  const sockets: Socket[] = [];
  let isClosed = false;

  async function close(): Promise<void> {
    isClosed = true;
    await app.close();
    await server.close(1000);
  }

  onTestFinished(async () => {
    for (const { leave } of all) leave();
    if (!isClosed)
      await checkConservation(url, sandbox, [...all, ...sockets.flatMap((s) => s.all)]);
    for (const { dispose } of sockets) await dispose();
    if (!isClosed) await close();
    await sandbox.close();
  });

  return {
    url,
    app,
    sandbox,
    step: () => (upstreamAt += STEP_MS),
    async sse(query, variables, method) {
      const subscriber = await openSse(url, { query, variables }, method);
      all.push(subscriber);
      return subscriber;
    },
    socket() {
      const socket = openSocket(url);
      sockets.push(socket);
      return socket;
    },
    ask: connect(url).ask,
    close,
  };
}

const USAGE = `{ usage { fx { background } macro { background } credits { background } } }`;

interface Usage {
  usage: Record<(typeof METERS)[number], { background: number }>;
}

/** The conservation law: what events say they cost, and the background, is what the upstream counted. */
async function checkConservation(url: string, sandbox: Sandbox, all: readonly Subscriber[]) {
  await vi.waitFor(async () => {
    const { usage } = await connect(url).get<Usage>(USAGE);
    for (const meter of METERS) {
      const events = all.flatMap(({ events: seen }) => seen);
      const told = events.reduce((sum, event) => sum + event.extensions.usage[meter].used, 0);
      expect(told + usage[meter].background).toBe(sandbox.spent()[meter]);
    }
  });
}

/** How many requests go out although nobody listens; `ms` should be several times to live. */
export async function requestsWithin({ sandbox }: Live, ms: number): Promise<number> {
  await sleep(SETTLED_MS);
  const before = sandbox.requests().length;
  await sleep(ms);
  return sandbox.requests().length - before;
}

/** Waits until each has so many events. */
export function expectEvents(all: readonly Subscriber[], count: number, timeout = 3000) {
  return vi.waitFor(
    () => expect(all.map(({ events }) => events.length)).toEqual(all.map(() => count)),
    { timeout, interval: 5 },
  );
}
