import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Asked, Flight, Shared } from '../../src/shared/shared.ts';
import { sharedBySqlite } from '../../src/shared/sqlite/answers.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { sharedByValkey } from '../../src/shared/valkey/answers.ts';
import { temporaryFolder } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Who has to wait for whom, and what the one that asks asks for, wherever claims are kept. */

const onTrouble = { begins() {}, ends() {}, putAside() {} };
const LEASE_MS = 600_000;
/** Long enough for another process to find the claim. */
const SHORT_LEASE_MS = 1500;

/** Each returns a function that opens the state as another process does. */
async function inFile(): Promise<() => Promise<Shared>> {
  const clocks = { now: Date.now, monotonic: () => performance.now() };
  const path = join(temporaryFolder(), 'shared.sqlite');
  return () => Promise.resolve(sharedBySqlite({ path, maxBytes: 1e7, ...clocks, onTrouble }));
}

async function onServer(): Promise<() => Promise<Shared>> {
  const { url } = await startValkey();
  return async () => {
    const server = openServer({ url, onTrouble });
    onTestFinished(server.close);
    await server.ready(1000);
    return sharedByValkey({ server, base: '{test}:', maxBytes: 1e8 });
  };
}

const STORES = [
  { name: 'in a file', open: inFile, isMissing: false },
  { name: 'on a server', open: onServer, isMissing: NO_SERVER },
];

const days = (start: number, end: number) => ({ start, end });

describe.each(STORES)('claims $name', ({ open, isMissing }) => {
  async function openTwo() {
    const openAnother = await open();
    const all = [await openAnother(), await openAnother()] as const;
    onTestFinished(() => Promise.all(all.map((one) => one.close())).then(() => undefined));
    return all;
  }

  async function claimOf(shared: Shared, asked: Asked, key = 'key'): Promise<Flight> {
    const claim = await shared.claim(key, asked, LEASE_MS);
    if (!claim.isOurs) throw new Error('another process has claimed it');
    return claim;
  }

  /** Returns what is asked for if nobody else has claimed it. */
  async function claimed(shared: Shared, asked: Asked) {
    const claim = await shared.claim('key', asked, LEASE_MS);
    return claim.isOurs ? claim.asked : undefined;
  }

  test.skipIf(isMissing)(
    'wait for those with which they have days or names in common',
    async () => {
      const [one, other] = await openTwo();
      const cases: [held: Asked, wanted: Asked, waits: boolean][] = [
        [days(10, 20), days(20, 30), true],
        [days(20, 30), days(10, 20), true],
        [days(10, 20), days(21, 30), false],
        [days(21, 30), days(10, 20), false],
        [['a', 'b'], ['b', 'c'], true],
        [['a', 'b'], ['c'], false],
        [null, ['a'], true],
        [['a'], null, true],
        [null, days(1, 2), true],
        [days(1, 2), ['a'], true],
        [null, null, true],
      ];
      for (const [i, [held, wanted, waits]] of cases.entries()) {
        await claimOf(one, held, `key ${i}`);
        const claim = await other.claim(`key ${i}`, wanted, LEASE_MS);
        expect([held, wanted, !claim.isOurs]).toEqual([held, wanted, waits]);
      }
    },
  );

  test.skipIf(isMissing)(
    'are extended once by days that others want and that touch them, also through others',
    async () => {
      const [one, other] = await openTwo();
      const first = await claimOf(one, days(10, 60));
      for (const wanted of [days(5, 11), days(12, 15), days(16, 40), days(50, 60)])
        expect(await other.claim('key', wanted, LEASE_MS)).toMatchObject({ isOurs: false });
      void first.release();
      await expect.poll(() => claimed(other, days(14, 14))).toEqual(days(5, 40));
      expect(await claimed(other, days(49, 49))).toEqual(days(49, 60));
      expect(await claimed(one, days(61, 61))).toEqual(days(61, 61));
    },
  );

  test.skipIf(isMissing)('end with their lease, and each with its own', async () => {
    const [one, other] = await openTwo();
    await one.claim('key', ['long'], 3 * SHORT_LEASE_MS);
    expect(await one.claim('key', ['short'], SHORT_LEASE_MS)).toMatchObject({ isOurs: true });
    const waiting = await other.claim('key', ['short'], LEASE_MS);
    await Object(waiting).over;
    await expect
      .poll(async () => (await other.claim('key', ['short'], LEASE_MS)).isOurs)
      .toBe(true);
    expect(await other.claim('key', ['long'], LEASE_MS)).toMatchObject({ isOurs: false });
  });

  test.skipIf(isMissing)(
    'last as long as their own lease, even if the one that asks claims for a much shorter time',
    async () => {
      const [one, other] = await openTwo();
      await claimOf(one, null);
      expect(await other.claim('key', null, 1000)).toMatchObject({ isOurs: false });
      expect(await other.claim('else', null, 1000, ['key'])).toMatchObject({ isOurs: false });
      expect(await one.claim('key', null, LEASE_MS)).toMatchObject({ isOurs: false });
    },
  );

  test.skipIf(isMissing)('are not extended by days that others no longer wait for', async () => {
    const [one, other] = await openTwo();
    await one.claim('key', days(10, 20), SHORT_LEASE_MS);
    const waiting = await other.claim('key', days(15, 25), LEASE_MS);
    await Object(waiting).over;
    await expect.poll(() => claimed(one, days(14, 14))).toEqual(days(14, 14));
  });

  test.skipIf(isMissing)('wait for claims of other keys that do as well', async () => {
    const [one, other] = await openTwo();
    const held = await claimOf(one, null, 'long');
    const claim = await other.claim('short', null, LEASE_MS, ['none', 'long']);
    expect(claim).toMatchObject({ isOurs: false });
    expect(await other.claim('short', null, LEASE_MS, ['none'])).toMatchObject({ isOurs: true });
    void held.release();
    await Object(claim).over;
    expect(await other.claim('longer', null, LEASE_MS, ['long'])).toMatchObject({ isOurs: true });
  });
});
