import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { page } from './speed-operations.ts';
import type { Running } from './speed-processes.ts';

/** Asks for hot answers and /health at a steady pace, and listens to a stream, while others flood the gateway. */

const INTERVAL_MS = 10;
const HEALTH_EVERY = 5;

export interface Probed {
  ms: number[];
  /** How long the gateway worked meanwhile: on a machine of its own the answer would take no longer. */
  workedMs: number[];
  failed: string[];
}

/** Returns the quantile `of`, from 0 to 1, of the values. */
export const share = (values: readonly number[], of: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * of)] ?? NaN;

const headers = { 'content-type': 'application/json', accept: 'application/json' };
const LIVE = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';

export async function createProbes({ url, mainThreadMs }: Running) {
  const { origin } = new URL(url);
  const pool = new Pool(origin, { connections: 16, headersTimeout: 60_000 });
  const hot: Probed = { ms: [], workedMs: [], failed: [] };
  const health: Probed = { ms: [], workedMs: [], failed: [] };
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();

  async function ask(probed: Probed, isHealth: boolean): Promise<void> {
    const [began, worked] = [performance.now(), mainThreadMs()];
    const reply = await (isHealth
      ? pool.request({ method: 'GET', path: '/health' })
      : pool.request({ method: 'POST', path: '/graphql', headers, body: JSON.stringify(page) }));
    const text = await reply.body.text();
    probed.ms.push(performance.now() - began);
    probed.workedMs.push(mainThreadMs() - worked);
    if (reply.statusCode !== 200) probed.failed.push(`${reply.statusCode} ${text.slice(0, 100)}`);
  }

  function begin(probed: Probed, isHealth: boolean): void {
    const asked = ask(probed, isHealth)
      .catch((error: unknown) => void probed.failed.push(String(error)))
      .finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  async function probe(): Promise<void> {
    for (let i = 0; !ending.signal.aborted; i += 1, await sleep(INTERVAL_MS))
      begin(i % HEALTH_EVERY === 0 ? health : hot, i % HEALTH_EVERY === 0);
    await Promise.all(underWay);
  }

  const leaving = new AbortController();
  const stream = await fetch(url, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query: LIVE }),
    signal: leaving.signal,
  });
  let isOpen = stream.status === 200;
  const read = async () => {
    await stream.arrayBuffer();
    isOpen = false;
  };
  read().catch(() => (isOpen = false));
  // An answer is hot from the second request on.
  for (let i = 0; i < 2; i += 1) await ask({ ms: [], workedMs: [], failed: [] }, false);
  const probing = probe();

  return {
    async end() {
      ending.abort();
      await probing;
      if (!isOpen) hot.failed.push('the stream has ended');
      leaving.abort();
      await pool.close();
      return { hot, health };
    },
  };
}
