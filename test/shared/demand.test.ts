import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NOTE_DELAY_MS } from '../../src/shared/shared.ts';
import { open, temporaryFolder } from '../harness.ts';

/** Processes that are asked for different things spend as much together as one that is asked for all of them. */

const TTL_SECONDS = 30;
const TOP_20 = '{ cryptoAssets(first: 20) { nodes { price } } }';
const low = (symbol: string) => `{ cryptoAsset(symbol: "${symbol}") { price } }`;
const ROUND = [TOP_20, low('ORBP'), low('NOVZ')];

/** Asks each question of a round at the next gateway; between rounds all answers expire. Returns the requests. */
async function spentBy(gateways: number, { rounds = 10, restartsAfter = Infinity } = {}) {
  const env = { DATA_DIR: temporaryFolder(), TTL_CRYPTO: String(TTL_SECONDS) };
  const first = await open({ env });
  const others = Array.from({ length: gateways - 1 }, () => first.another(env));
  let all = [first, ...(await Promise.all(others))];
  for (let round = 0; round < rounds; round += 1) {
    if (round === restartsAfter) all = await Promise.all(all.map(() => first.another(env)));
    for (const [i, question] of ROUND.entries()) {
      await all[i % all.length]!.ask(question);
      // By then notes to other processes are stored and can be read.
      await pause(2 * NOTE_DELAY_MS);
    }
    first.clock.advance((TTL_SECONDS + 1) * 1000);
  }
  return first.sandbox.requests().length;
}

test('assets that each process is asked for are in one list for all', async () => {
  const one = await spentBy(1);
  expect(await spentBy(3)).toBeLessThanOrEqual(one + 1);
});

test('a restarted process knows what the one before was asked for', async () => {
  const one = await spentBy(1);
  expect(await spentBy(1, { restartsAfter: 6 })).toBeLessThanOrEqual(one);
});

test('all processes know how long ranges are, for as long as such ranges are asked for', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const long = await open({ env });
  const short = await long.another(env);
  const observations = (code: string, start: string) =>
    `{ macroSeries(code: "${code}") { observations(start: "${start}") { points { value } } } }`;
  for (let hour = 0; hour < 5; hour += 1) {
    await long.ask(observations('TP.DK.USD.A', '2021-01-01'));
    await pause(2 * NOTE_DELAY_MS);
    long.clock.advance(3_600_000);
  }
  await short.ask(observations('TP.DK.EUR.A', '2026-11-01'));
  expect(await short.cost(observations('TP.DK.EUR.A', '2021-01-01'))).toBe(0);
});
