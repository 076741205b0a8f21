import { describe, expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { addDeadFlight, otherProcess, stored } from './stored.ts';
import { STORES } from './stores.ts';

/** Assets that another process may be about to get with a list. */

const LIST = '{ cryptoAssets(first: 10, convert: TRY) { nodes { symbol price } } }';
const COINS = `{
  btc: cryptoAsset(symbol: "BTC", convert: TRY) { symbol price }
  eth: cryptoAsset(symbol: "ETH", convert: TRY) { symbol price }
}`;
/** On such a line a list of all is not requested for a single asset. */
const LINE = { UPSTREAM_BYTES_PER_SECOND: '1000000' };
const RATES = '{ fxRates(first: 1) { totalCount } }';
const DRY_RUN = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
const isOfCrypto = ({ path }: { path: string }) => path.startsWith('/crypto');
const isList = (path: string) => isOfCrypto({ path }) && !path.includes('symbols=');

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  async function openTwo() {
    const { env } = await openStore();
    const one = await open({ env: { ...env, ...LINE } });
    const { sandbox } = one;
    const ofCrypto = () => sandbox.requests().filter(isOfCrypto);
    return { one, other: await one.another({ ...env, ...LINE }), sandbox, ofCrypto };
  }

  /** Asks one gateway for a list, the upstream's answer to which is held back until `release`. */
  async function openWithList() {
    const two = await openTwo();
    const release = two.sandbox.fault({ kind: 'hold', path: isList });
    const list = two.one.get<{ cryptoAssets: { nodes: Asset[] } }>(LIST);
    await expect.poll(() => two.ofCrypto().length).toBe(1);
    return { ...two, list, release };
  }

  test.skipIf(isMissing)('the list that one gateway requests serves the other one', async () => {
    const { other, list, release, ofCrypto } = await openWithList();
    const coins = other.ask<Coins>(COINS);
    // By the time that this is answered, the other question has sent all that it can.
    await other.ask(RATES);
    release();
    const { data, errors, extensions } = await coins;
    const { nodes } = (await list).cryptoAssets;
    expect(errors).toEqual([]);
    for (const asset of [data.btc, data.eth]) expect(nodes).toContainEqual(asset);
    expect(extensions.usage.credits.used).toBe(0);
    expect(extensions.usage.upstream).toMatchObject({ requests: 0, coalesced: 1 });
    expect(ofCrypto()).toHaveLength(1);
  });

  test.skipIf(isMissing)('a dry run does not wait for the list of another gateway', async () => {
    const { other, list, release } = await openWithList();
    const body = JSON.stringify({ query: COINS });
    const { extensions } = await other.send({ method: 'POST', headers: DRY_RUN, body });
    expect(extensions.usage).toHaveProperty('estimate');
    release();
    await list;
  });

  test.skipIf(isMissing)('assets are requested by ticker once a list has failed', async () => {
    const { one, other, sandbox, ofCrypto } = await openTwo();
    sandbox.set({ latencyMs: 300 });
    sandbox.fault({ kind: 'status', path: isList });
    const list = one.ask(LIST);
    await expect.poll(() => ofCrypto().length).toBe(1);
    const { data, errors } = await other.ask<Coins>(COINS);
    expect(errors).toEqual([]);
    expect(data.btc.price).toBeGreaterThan(0);
    expect(ofCrypto().filter(({ path }) => !isList(path))).toHaveLength(1);
    expect((await list).errors).toHaveLength(1);
  });
});

test('assets are requested once the process that requests a list is presumed dead', async () => {
  const [DATA_DIR, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const { ask, another, clock, sandbox } = await open({ env: { DATA_DIR, ...LINE } });
  const sent = () => sandbox.requests().filter(isOfCrypto).length;
  // The list is stored elsewhere, which shows its key.
  await (await another({ DATA_DIR: elsewhere, ...LINE })).ask(LIST);
  await stored(elsewhere, 1);
  const other = otherProcess(elsewhere);
  const key = String(other.prepare('SELECT key FROM answers').get()?.['key']);
  other.close();
  await ask(RATES);
  const db = otherProcess(DATA_DIR);
  const until = clock.now() + 2000;
  addDeadFlight(db, key, until);
  db.close();
  const coins = ask(COINS);
  // By the time that this is answered, the other question has sent all that it can.
  await ask('{ calendarEvents { totalCount } }');
  expect(sent()).toBe(1);
  clock.advance(2001);
  expect((await coins).errors).toEqual([]);
  expect(sent()).toBe(2);
});

interface Asset {
  symbol: string;
  price: number;
}

interface Coins {
  btc: Asset;
  eth: Asset;
}
