import { expect, test } from 'vitest';
import { startOperation } from '../../src/usage/operation.ts';
import { EMPTY_BYTES, open, TTL } from './names.ts';

/** How long a request for names may be, and what is requested again after a refusal. */

const longName = (i: number) =>
  `name${'abcdefghij'[i % 10]}${'x'.repeat(95)}${'abcdefghij'[Math.floor(i / 10) % 10]}`;
const longNames = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => longName(from + i));

test('no request is longer than the limit, however many names were found or are asked for', async () => {
  const { asked, ask } = open({ maxNames: 500, maxBytes: 2000 });
  await ask('USD', longNames(0, 40));
  await ask('USD', longNames(40, 1));
  expect(asked.map(({ names: all }) => all.length)).toEqual([18, 18, 4, 18]);
  for (const { names: all } of asked)
    expect(EMPTY_BYTES + all.join('').length).toBeLessThanOrEqual(2000);
});

test('a request refused with extra names is repeated at once without them, and shorter from then on', async () => {
  const { world, asked, ask } = open({ maxNames: 500, maxBytes: 8000 });
  await ask('USD', longNames(0, 30));
  world.now += TTL;
  world.longest = 3000;
  const results = await Promise.all([ask('USD', ['one']), ask('USD', ['two'])]);
  expect(results.flat()).toMatchObject([{ value: { name: 'one' } }, { value: { name: 'two' } }]);
  expect(asked.map(({ names: all }) => all.length)).toEqual([30, 32, 2]);
  await ask('USD', ['three']);
  await ask('USD', longNames(0, 30));
  const sizes = asked.slice(3).map(({ names: all }) => EMPTY_BYTES + all.join('').length);
  // The included names were forgotten; they are included again once found again.
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1800);
});

test('names that are too long for one request are requested in several', async () => {
  const { world, asked, ask } = open({ maxNames: 500, maxBytes: 8000 });
  world.longest = 3000;
  const wanted = longNames(0, 40);
  expect(await ask('USD', wanted)).toMatchObject(wanted.map((one) => ({ value: { name: one } })));
  expect(asked.map(({ names: all }) => all.length)).toEqual([40, 30, 20, 10, 10]);
});

test('a known name that is now refused fails no request that only included it', async () => {
  const { world, asked, ask } = open();
  await ask('USD', ['a', 'b']);
  world.now += TTL;
  world.refused = 'a';
  const [c] = await ask('USD', ['c']);
  expect(c).toMatchObject({ value: { name: 'c' } });
  expect(asked.slice(1).map(({ names: all }) => all)).toEqual([['a', 'b', 'c'], ['c']]);
  await ask('USD', ['d']);
  expect(asked.at(-1)?.names).toEqual(['c', 'd']);
});

test("another operation's name that is refused in the same request fails only that operation", async () => {
  const { world, asked, ask } = open();
  world.refused = 'a';
  const [starting, joining] = await Promise.all([ask('USD', ['b', 'c']), ask('USD', ['a'])]);
  expect(starting).toMatchObject([{ value: { name: 'b' } }, { value: { name: 'c' } }]);
  expect(joining).toMatchObject([{ code: 'BAD_USER_INPUT' }]);
  expect(asked.map(({ names: all }) => all)).toEqual([['b', 'c', 'a'], ['b', 'c'], ['a']]);
});

test('an answer about other names leaves what is known about a name current', async () => {
  const { ask } = open();
  const [missing] = await ask('USD', ['X']);
  await ask('USD', ['a']);
  const [again] = await ask('USD', ['X']);
  for (const known of [missing, again]) expect(known).toMatchObject({ value: null });
  const isCurrent = [missing, again].map((one) => !(one instanceof Error) && one?.isCurrent());
  expect(isCurrent).toEqual([true, true]);
});

const REFUSED_NAMES = Array.from({ length: 50 }, (_, i) => `o/${i}`);
const limitedToTwo = () => startOperation({ maxRequests: 2, deadline: Infinity });

test('an operation starts twice as many requests as it may send; when they are refused, others follow', async () => {
  const { ask, asked, seen } = open();
  const results = await ask('USD', REFUSED_NAMES, limitedToTwo());
  expect(results).toMatchObject(REFUSED_NAMES.map(() => ({ code: 'BAD_USER_INPUT' })));
  expect(asked.map(({ names }) => names)).toEqual(REFUSED_NAMES.map((name) => [name]));
  expect(seen.most).toBe(4);
});

test('if the first requests fail, the remaining ones are not sent and fail, too', async () => {
  const { ask, asked, world } = open();
  world.isDown = true;
  const results = await ask('USD', REFUSED_NAMES, limitedToTwo());
  expect(results).toMatchObject(REFUSED_NAMES.map(() => ({ code: 'UPSTREAM_UNAVAILABLE' })));
  expect(asked).toHaveLength(4);
});
