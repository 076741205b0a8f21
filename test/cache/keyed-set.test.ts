import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Known } from '../../src/cache/known-names.ts';
import { startEstimate } from '../../src/usage/estimate.ts';
import { isPlain, MAX_NAMES, open, TTL } from './names.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'X', 'Y', 'o/d', 'Z/Z');
const names = fc.uniqueArray(name, { maxLength: 6 });
const question = fc.record({ key: fc.constantFrom('USD', 'TRY'), names });

function expected(one: string): object {
  if (!isPlain(one)) return { code: 'BAD_USER_INPUT' };
  return { value: /[A-Z]/.test(one) ? null : { name: one }, stale: false };
}

const tickOf = (result: Known<{ tick: number }> | Error) =>
  result instanceof Error ? Infinity : (result.value?.tick ?? Infinity);

test('every name gets its own answer, none older than its time to live', async () => {
  const step = fc.record({ pause: fc.nat(8), questions: fc.array(question, { maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (moments) => {
      const { world, asked, seen, ask } = open();
      for (const { pause, questions } of moments) {
        world.now += pause;
        const results = await Promise.all(questions.map((one) => ask(one.key, one.names)));
        const wanted = questions.flatMap((one) => one.names);
        expect(results.flat()).toMatchObject(wanted.map(expected));
        const oldest = Math.min(world.now, ...results.flat().map(tickOf));
        expect(oldest).toBeGreaterThan(world.now - TTL);
      }
      // No request is too long, has an odd name among others, or repeats a name that is in flight.
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

test('simultaneous queries need as few requests as their names fit into', async () => {
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

test('a request also asks for what was found before, under this key or another', async () => {
  const { world, asked, ask } = open();
  // Missing names are not included: anybody may have invented them.
  await ask('USD', ['a', 'X']);
  world.now += TTL;
  await ask('USD', ['b']);
  await ask('TRY', ['c']);
  expect(asked.map(({ names: wanted }) => wanted)).toEqual([
    ['a', 'X'],
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]);
});

test('a name that is included in a request in flight is not requested again', async () => {
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
  expect(set.lastRecord('USD', 'X')).toBeNull();
  world.now += TTL;
  await ask('USD', ['X']);
  expect(asked).toHaveLength(2);
});

test('while the upstream is down, old records are served as stale, and unknown names fail', async () => {
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

test('replaced values are told apart from current ones', async () => {
  const { world, ask } = open();
  const [first] = await ask('USD', ['a']);
  world.now += TTL;
  const [second] = await ask('USD', ['a']);
  if (!first || first instanceof Error || !second || second instanceof Error) throw new Error();
  expect([first.isCurrent(), second.isCurrent()]).toEqual([false, true]);
});
