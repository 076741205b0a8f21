import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/execution/turns.ts';
import { allotResources } from '../../src/graph/resources.ts';
import { createPlaces } from '../../src/pipeline/places.ts';

/** Places for operations: limited, shared between parties, and given back. */

const LIMITS = {
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: Infinity,
};

type Opened = ReturnType<typeof openPlaces>;

function openPlaces(max: number) {
  const turns = createTurns();
  const clock = { now: 0 };
  const places = createPlaces(max, () => clock.now);
  const enter = (party: string, begin: () => Promise<string> | string) =>
    places.enter(allotResources(LIMITS, turns, party), begin, () => 'refused');
  return { turns, clock, places, enter };
}

const step = oneof(
  record({ party: constantFrom('a', 'b', 'c'), ends: constant(undefined) }),
  record({ party: constant(undefined), ends: nat(20) }),
);

interface RunningOperation {
  party: string;
  end(reply: string): void;
  over: Promise<string>;
}

/** Lets a party ask for a place; returns the outcome, and the expected one. */
function requestPlace(party: string, running: RunningOperation[], max: number, { enter }: Opened) {
  const own = running.filter((one) => one.party === party).length;
  const isFree = own < max - running.length;
  const { promise: over, resolve: end } = Promise.withResolvers<string>();
  const reply = enter(party, () => over);
  if (isFree) running.push({ party, end, over });
  return [reply, isFree ? over : 'refused'];
}

test('the places that a party holds are not forgotten, however many other parties come and go', () => {
  const { enter } = openPlaces(4);
  const never = () => new Promise<string>(() => undefined);
  for (let i = 0; i < 2; i += 1) void enter('a', never);
  for (let i = 0; i < 2000; i += 1) expect(enter(`other ${i}`, () => 'served')).toBe('served');
  expect(enter('a', () => 'served')).toBe('refused');
});

test('whatever comes and goes, a party is let in exactly if it has fewer places than are free', async () => {
  const property = asyncProperty(integer({ min: 1, max: 9 }), array(step), async (max, steps) => {
    const opened = openPlaces(max);
    const inside: RunningOperation[] = [];
    for (const { party, ends } of steps) {
      if (ends !== undefined) {
        const [ended] = inside.splice(ends % Math.max(1, inside.length), 1);
        ended?.end('done');
        await ended?.over;
      }
      const [is, should] = party === undefined ? [] : requestPlace(party, inside, max, opened);
      expect(is).toBe(should);
      expect(opened.places.underWay()).toBe(inside.length);
    }
  });
  await assert(property);
});

test('operations that wait for the answer to an identical one are counted apart, eight by place, and shared in the same way', () => {
  const { places, enter } = openPlaces(1);
  void enter('a', () => new Promise<string>(() => undefined));
  const ends = ['a', 'a', 'a', 'a', 'b', 'b'].map((party) => places.beginJoined(party));
  const full = ['a', 'b'].map((party) => places.beginJoined(party));
  ends[0]!();
  ends[1]!();
  expect([full, places.underWay()]).toEqual([[undefined, undefined], 1]);
  expect(['a', 'a'].map((party) => typeof places.beginJoined(party))).toEqual([
    'function',
    'undefined',
  ]);
});

test('an operation that fails at once gives its place back', () => {
  const { places, enter } = openPlaces(1);
  const fail = () => {
    throw new Error('it fails');
  };
  expect(() => enter('a', fail)).toThrow('it fails');
  expect(places.underWay()).toBe(0);
  expect(enter('a', () => 'served')).toBe('served');
});

test('an operation that arrives while the process is busy waits, those of its party behind it, others in between', async () => {
  const { turns, places, enter } = openPlaces(100);
  turns.heldMs = 1000;
  const order: string[] = [];
  const note = (name: string) =>
    enter(name.slice(0, 1), () => {
      order.push(name);
      return name;
    });
  const all = ['a1', 'a2', 'a3', 'b1'].map(note);
  expect([order, places.waiting()]).toEqual([[], 4]);
  await Promise.all(all);
  expect([order.toSorted(), places.waiting()]).toEqual([['a1', 'a2', 'a3', 'b1'], 0]);
  expect(order.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  expect(order.indexOf('b1')).toBeLessThan(2);
});

test('operations that arrive together are served, however long that takes', async () => {
  const { turns, clock, places, enter } = openPlaces(2000);
  turns.heldMs = 1000;
  const late = Array.from({ length: 550 }, () => enter('a', () => 'served'));
  clock.now += 60_000;
  expect(new Set(await Promise.all(late))).toEqual(new Set(['served']));
  expect([places.waiting(), places.underWay()]).toEqual([0, 0]);
});

test('an operation that would wait too long at the current pace is refused at once; others are not', async () => {
  const { turns, clock, places, enter } = openPlaces(2000);
  turns.heldMs = 1000;
  /** Each takes ten milliseconds. During some of them others arrive: of the same party, and of another one. */
  const serve = (index: number) => {
    clock.now += 10;
    return [40, 60, 150, 201].includes(index) ? ['a', 'b'].map((party) => another(party)) : [];
  };
  const another = (party: string) => enter(party, () => 'served');
  const burst: unknown[] = [];
  const all = Array.from({ length: 300 }, (_, index) =>
    enter('a', () => {
      burst[index] = serve(index);
      return 'served';
    }),
  );
  await Promise.all(all);
  const waits = expect.any(Promise);
  // 260 wait for 2.6 s, but for less than half a second so far; 240 for 2.4 s; 150 for 1.5 s; 100 for one second.
  expect(burst.flat()).toEqual([waits, waits, 'refused', waits, 'refused', waits, waits, waits]);
  while (places.waiting() > 0) await new Promise(setImmediate);
  expect([await another('a'), places.waiting()]).toEqual(['served', 0]);
});
