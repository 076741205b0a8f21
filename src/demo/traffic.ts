import { readAssets } from '../studio/assets.ts';
import type { DemoClient } from './past.ts';

/** The demo's clients, which keep asking, a few questions a second. */

export const CLIENTS: readonly DemoClient[] = [
  { name: 'web', share: 5, operations: ['MarketPage', 'Rates', 'CryptoMarket'] },
  { name: 'mobile', share: 3, operations: ['Rates', 'CryptoMarket', 'RateHistory'] },
  { name: 'research', share: 2, operations: ['MacroSeries', 'RateHistory', 'Calendar'] },
  { name: 'legal', share: 1, operations: ['Legislation'] },
  { name: 'newsletter', share: 1, operations: ['Calendar', 'MarketPage'] },
];

/** Mean pause between two questions of a client with share 1; one with share 5 waits a fifth of it. */
const MEAN_PAUSE_MS = 2000;

/** The ready-made operations, by their names. */
function readOperations(): Map<string, string> {
  return new Map(
    Object.values(readAssets()).flatMap((text) => {
      const name = /\bquery (\w+)/.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** Starts asking; returns a function that stops it. */
export function startTraffic(url: string, keys: ReadonlyMap<string, string>): () => void {
  const texts = readOperations();
  const timers = new Map<string, NodeJS.Timeout>();
  let isOver = false;

  async function askOnce({ name, operations }: DemoClient): Promise<void> {
    const query = texts.get(operations[Math.floor(Math.random() * operations.length)] ?? '');
    if (query === undefined) return;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${keys.get(name)}`,
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    await response.arrayBuffer();
  }

  function next(client: DemoClient): void {
    if (isOver) return;
    const pause = (MEAN_PAUSE_MS * (0.3 + 1.4 * Math.random())) / client.share;
    timers.set(
      client.name,
      setTimeout(() => void ask(client), pause),
    );
  }

  async function ask(client: DemoClient): Promise<void> {
    // A question that fails is ignored: the gateway reports it itself.
    await askOnce(client).catch(() => undefined);
    next(client);
  }

  for (const client of CLIENTS) next(client);
  return () => {
    isOver = true;
    for (const timer of timers.values()) clearTimeout(timer);
  };
}
