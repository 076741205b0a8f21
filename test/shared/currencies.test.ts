import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { NOTE_DELAY_MS } from '../../src/shared/shared.ts';
import { open } from '../harness.ts';
import { STORES } from './stores.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Prices in dollars are taken from answers in lira, whichever process is asked for lira. */

const prices = (convert: string) =>
  `{ cryptoAssets(first: 3, convert: ${convert}) { nodes { price } } }`;
const TTL_SECONDS = 30;
/** Waits until notes to other processes are stored and can be read. */
const waitForNotes = () => pause(4 * NOTE_DELAY_MS);

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  describe.skipIf(isMissing)('lira that one process is asked for', () => {
    async function openTwo() {
      const { env: shared } = await openStore();
      const env = { ...shared, TTL_CRYPTO: String(TTL_SECONDS) };
      const first = await open({ env });
      return { first, ...first, openAnother: () => first.another(env) };
    }

    /** One process has asked for lira, the other one for dollars, and all answers have expired. */
    async function openInUse() {
      const { first, openAnother, clock } = await openTwo();
      const other = await openAnother();
      await first.ask(prices('TRY'));
      await waitForNotes();
      await other.ask(prices('USD'));
      clock.advance((TTL_SECONDS + 1) * 1000);
      return { first, other };
    }

    test('serve dollars at another one, and at one that is started later', async () => {
      const { first, openAnother } = await openTwo();
      const other = await openAnother();
      expect(await first.cost(prices('TRY'))).toBe(1);
      await waitForNotes();
      expect(await other.cost(prices('USD'))).toBe(0);
      expect(await (await openAnother()).cost(prices('USD'))).toBe(0);
    });

    test('are requested again by the other one, so that both have them', async () => {
      const { first, other } = await openInUse();
      expect(await other.cost(prices('USD'))).toBe(1);
      expect(await first.cost(prices('TRY'))).toBe(0);
    });

    test('are not requested if another one has dollars', async () => {
      const { first, other } = await openInUse();
      expect(await first.cost('{ cryptoAssets(first: 3) { nodes { price marketCap } } }')).toBe(1);
      await waitForNotes();
      expect(await other.cost(prices('USD'))).toBe(0);
    });

    test('are not requested if another one has euro', async () => {
      const { first, other } = await openInUse();
      expect(await first.cost(prices('EUR'))).toBe(1);
      await waitForNotes();
      expect(await other.cost(prices('USD'))).toBe(0);
    });

    test('are no longer requested once nobody has asked for them in a while', async () => {
      const { first, openAnother, clock, sandbox } = await openTwo();
      const other = await openAnother();
      await first.ask(prices('TRY'));
      await waitForNotes();
      await other.ask(prices('USD'));
      for (let i = 0; i < 3; i += 1) {
        clock.advance((TTL_SECONDS + 1) * 1000);
        await other.ask(prices('USD'));
      }
      const asked = sandbox.requests().map(({ path }) => /convert=(\w+)/.exec(path)?.[1]);
      expect(asked).toEqual(['TRY', 'TRY', 'USD', 'USD']);
    });
  });
});

test.skipIf(NO_SERVER)('a damaged note on the server hides no other', async () => {
  const { url, command } = await startValkey();
  const first = await open({ env: { SHARED_URL: url } });
  const other = await first.another({ SHARED_URL: url });
  await first.ask(prices('TRY'));
  await waitForNotes();
  const topics = (await command('KEYS', '*:notes:*')) as string[];
  expect(topics.length).toBeGreaterThan(0);
  for (const topic of topics) await command('HSET', topic, 'damaged', 'nonsense');
  expect(await other.cost(prices('USD'))).toBe(0);
});
