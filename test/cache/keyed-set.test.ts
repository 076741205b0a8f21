import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyedSet, type Known } from '../../src/cache/keyed-set.ts';
import { createStore } from '../../src/cache/store.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startEstimate } from '../../src/usage/estimate.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';

const TTL = 10;
const MAX_NAMES = 4;

interface Row {
  name: string;
  /** When the upstream gave it. */
  tick: number;
}

/** A keyed set over an upstream in memory, which knows names in small letters; `world` may be changed. */
function open() {
  const world = { now: 0, isDown: false };
  const asked: { key: string; names: readonly string[] }[] = [];
  const underWay = new Set<string>();
  const seen = { isClashing: false };
  const set = createKeyedSet<string, Row>({
    namespace: createStore(1e9).namespace(),
    monotonic: () => world.now,
    ttl: TTL,
    maxNames: MAX_NAMES,
    keyOf: (key) => key,
    mayShare: isPlain,
    async fetch(key, names) {
      await new Promise(setImmediate);
      const wanted = names();
      asked.push({ key, names: wanted });
      const ids = wanted.map((name) => `${key} ${name}`);
      seen.isClashing ||= ids.some((id) => underWay.has(id));
      ids.forEach((id) => underWay.add(id));
      await new Promise(setImmediate);
      ids.forEach((id) => underWay.delete(id));
      if (world.isDown) throw new MarketError('UPSTREAM_UNAVAILABLE', { group: 'B' });
      if (wanted.some((name) => name.includes('/')))
        throw new MarketError('BAD_USER_INPUT', { group: 'B' });
      const known = wanted.filter((name) => /^[a-z]+$/.test(name));
      const value = new Map(known.map((name) => [name, { name, tick: world.now }]));
      return { value, origin: originAt(world.now), bytes: 100, warnings: [] };
    },
  });
  const begin = () => startOperation({ maxRequests: 100, deadline: Infinity });
  const ask = (key: string, names: readonly string[], operation = begin()) =>
    set.load(key, names, operation);
  return { world, asked, seen, set, ask, begin };
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'X', 'Y', 'o/d', 'Z/Z');
const names = fc.uniqueArray(name, { maxLength: 6 });
const question = fc.record({ key: fc.constantFrom('USD', 'TRY'), names });

const isPlain = (one: string) => !one.includes('/');

function expected(one: string): object {
  if (!isPlain(one)) return { code: 'BAD_USER_INPUT' };
  return { value: /[A-Z]/.test(one) ? null : { name: one }, stale: false };
}

const tickOf = (result: Known<Row> | Error) =>
  result instanceof Error ? Infinity : (result.value?.tick ?? Infinity);

test('every name gets its own answer, none older than its time to live', async () => {
  const moment = fc.record({ pause: fc.nat(8), questions: fc.array(question, { maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { maxLength: 8 }), async (moments) => {
      const { world, asked, seen, ask } = open();
      for (const { pause, questions } of moments) {
        world.now += pause;
        const results = await Promise.all(questions.map((one) => ask(one.key, one.names)));
        const wanted = questions.flatMap((one) => one.names);
        expect(results.flat()).toMatchObject(wanted.map(expected));
        const oldest = Math.min(world.now, ...results.flat().map(tickOf));
        expect(oldest).toBeGreaterThan(world.now - TTL);
      }
      // No request is too long, shares with an odd name, or asks for what another is asking for.
      for (const one of asked) {
        expect(one.names.length).toBeLessThanOrEqual(MAX_NAMES);
        expect(new Set(one.names).size).toBe(one.names.length);
        expect(one.names.length === 1 || one.names.every(isPlain)).toBe(true);
      }
      expect(seen.isClashing).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test('questions of one moment need as few requests as their names have room in', async () => {
  const plain = fc.uniqueArray(fc.stringMatching(/^[a-z]{2}$/), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(plain, fc.nat(3), async (wanted, parts) => {
      const { ask, asked } = open();
      const groups = Map.groupBy(wanted.entries(), ([i]) => i % (parts + 1));
      await Promise.all(
        [...groups.values()].map((group) =>
          ask(
            'USD',
            group.map(([, one]) => one),
          ),
        ),
      );
      expect(asked).toHaveLength(Math.ceil(wanted.length / MAX_NAMES));
    }),
    { numRuns: 200 },
  );
});

test('a request also asks for what was asked before, here or under another key', async () => {
  const { world, asked, ask } = open();
  await ask('USD', ['a', 'X']);
  world.now += TTL;
  await ask('USD', ['b']);
  await ask('TRY', ['c']);
  expect(asked.map(({ names: wanted }) => wanted)).toEqual([
    ['a', 'X'],
    ['b', 'a', 'X'],
    ['c', 'a', 'b'],
  ]);
});

test('a name that comes along with a request in flight is not asked for again', async () => {
  const { world, asked, ask } = open();
  await ask('USD', ['a']);
  world.now += TTL;
  const first = ask('USD', ['b']);
  await new Promise(setImmediate);
  const [[a]] = await Promise.all([ask('USD', ['a']), first]);
  expect(a).toMatchObject({ value: { name: 'a', tick: TTL } });
  expect(asked).toHaveLength(2);
});

test('a missing name is remembered as missing for the time to live', async () => {
  const { world, asked, ask, set } = open();
  for (let i = 0; i < 2; i += 1) expect(await ask('USD', ['X'])).toMatchObject([{ value: null }]);
  expect(asked).toHaveLength(1);
  expect(set.has('USD', 'X')).toBe(false);
  world.now += TTL;
  await ask('USD', ['X']);
  expect(asked).toHaveLength(2);
});

test('while the upstream is down old records are served as stale, and unknown names fail', async () => {
  const { world, ask, set, begin } = open();
  await ask('USD', ['a']);
  world.now += TTL;
  world.isDown = true;
  const operation = begin();
  expect(set.read('USD', 'a', operation)).toBeUndefined();
  const [old, unknown] = await ask('USD', ['a', 'b'], operation);
  expect(old).toMatchObject({ stale: true, value: { name: 'a', tick: 0 } });
  expect(unknown).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect([operation.stale, operation.coalesced]).toEqual([1, 0]);
});

test('a dry run neither joins nor is joined', async () => {
  const { asked, ask, begin } = open();
  const dry = { ...begin(), estimate: startEstimate() };
  await Promise.all([ask('USD', ['a'], dry), ask('USD', ['a']), ask('USD', ['a'])]);
  expect(asked).toHaveLength(2);
});

test('what has been replaced is told apart from what is current', async () => {
  const { world, ask } = open();
  const [first] = await ask('USD', ['a']);
  world.now += TTL;
  const [second] = await ask('USD', ['a']);
  if (!first || first instanceof Error || !second || second instanceof Error) throw new Error();
  expect([first.isCurrent(), second.isCurrent()]).toEqual([false, true]);
});
