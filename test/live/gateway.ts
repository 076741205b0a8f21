import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { App } from '../../src/embed.ts';
import { readConfig } from '../../src/config.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { METERS } from '../../src/meters.ts';
import { listen } from '../../src/transport/node.ts';
import { access, connect, temporaryFolder } from '../harness.ts';
import { FRIDAY_NOON } from '../sandbox/harness.ts';
import { watchConnections } from './connections.ts';
import { openSse, type Method } from './sse.ts';
import type { Subscriber } from './subscriber.ts';
import { openSocket, type Socket } from './socket.ts';

/**
 * A gateway and its upstream, whose clock moves only when the test moves it. The timers that make the
 * gateway poll are real, but whether a poll sends a request depends on the clock. So a slow machine
 * makes these tests slower, and changes nothing that they count.
 */

export interface Live {
  url: string;
  app: App;
  sandbox: Sandbox;
  /** Moves the clock on. The upstream's prices move every 5 seconds of it. */
  advance(ms: number): void;
  /** Moves the clock on until the upstream's prices have moved. */
  step(): void;
  /** Subscribes over server-sent events. */
  sse(query: string, variables?: object, method?: Method): Promise<Subscriber>;
  /** A client with one WebSocket. */
  socket(): Socket;
  ask: ReturnType<typeof connect>['ask'];
  /** Waits until the upstream was asked `count` times in all, and the gateway has read and booked the answers. */
  expectRequests(count: number): Promise<void>;
  /** Waits until every client's connection has ended, and the gateway knows. */
  expectNoConnections(): Promise<void>;
  /** Takes down gateway and listener, as a process does at its end. */
  close(): Promise<void>;
}

export interface LiveOptions {
  env?: Record<string, string>;
  /** Time at which the clock starts, in milliseconds since 1970. */
  at?: number;
}

/** How often the upstream's prices move, in milliseconds. */
const STEP_MS = 5000;

export async function open({ env, at = FRIDAY_NOON }: LiveOptions = {}): Promise<Live> {
  let time = at;
  const now = () => time;
  const sandbox = await startSandbox({ now });
  const config = readConfig({ DATA_DIR: temporaryFolder(), ...access(sandbox), ...env });
  const app = await createApp({ ...config, logLevel: 'silent' }, { now });
  const { listener, connections } = watchConnections(app);
  const server = await listen(listener, '127.0.0.1', 0);
  const url = `${server.url}/graphql`;
  const all: Subscriber[] = [];
  const sockets: Socket[] = [];
  const allSubscribers = () => [...all, ...sockets.flatMap((socket) => socket.all)];
  let isClosed = false;

  async function close(): Promise<void> {
    isClosed = true;
    await app.close();
    await server.close(1000);
  }

  onTestFinished(async () => {
    for (const { leave } of all) leave();
    if (!isClosed) await expectConservation(url, sandbox, allSubscribers());
    for (const { dispose } of sockets) await dispose();
    if (!isClosed) await close();
    await sandbox.close();
  });

  return {
    url,
    app,
    sandbox,
    advance: (ms) => void (time += ms),
    step: () => void (time += STEP_MS),
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
    async expectRequests(count) {
      await expect.poll(() => sandbox.requests().length).toBe(count);
      await expectConservation(url, sandbox, allSubscribers());
    },
    async expectNoConnections() {
      await expect.poll(connections).toBe(0);
    },
    close,
  };
}

const USAGE = `{ usage { fx { background } macro { background } credits { background } } }`;

interface Usage {
  usage: Record<(typeof METERS)[number], { background: number }>;
}

/** The conservation law: what events say they cost, plus the background, is what the upstream counted. */
async function expectConservation(url: string, sandbox: Sandbox, all: readonly Subscriber[]) {
  const unbooked = async () => {
    const { usage } = await connect(url).get<Usage>(USAGE);
    const events = all.flatMap(({ events: seen }) => seen);
    return METERS.map((meter) => {
      const reported = events.reduce((sum, event) => sum + event.extensions.usage[meter].used, 0);
      return sandbox.spent()[meter] - reported - usage[meter].background;
    });
  };
  await expect.poll(unbooked, { interval: 20 }).toEqual([0, 0, 0]);
}

/**
 * Returns how many requests are sent while three times to live pass. First wait for everything that may
 * be in flight (expectNoConnections, expectRequests): then only a timer that was left behind can send one.
 */
export async function requestsWithin({ sandbox, advance }: Live, ttlMs: number): Promise<number> {
  const before = sandbox.requests().length;
  for (let i = 0; i < 3; i += 1) {
    advance(ttlMs);
    await sleep(1.5 * ttlMs);
  }
  return sandbox.requests().length - before;
}

/** Waits until each subscriber has `count` events. */
export async function expectEvents(all: readonly Subscriber[], count: number): Promise<void> {
  await expect.poll(() => all.map(({ events }) => events.length)).toEqual(all.map(() => count));
}
