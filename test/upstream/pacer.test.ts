import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPacer, type Pacer, retryAfterMs, type Turn } from '../../src/upstream/pacer.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const now = () => Date.now();
const NEVER = Infinity;

/** Waits in line so many times; the turns in order of their coming, with who got them. */
function queue(pacer: Pacer, count: number, deadline = NEVER) {
  const turns: { turn: Turn | undefined; number: number }[] = [];
  for (let number = 0; number < count; number += 1)
    void pacer.turn(deadline).then((turn) => turns.push({ turn, number }));
  return turns;
}

const times = (turns: readonly { turn: Turn | undefined }[], from: number) =>
  turns.map(({ turn }) => turn && turn.at - from);

function mostInASecond(at: readonly number[]): number {
  return Math.max(0, ...at.map((from) => at.filter((t) => t >= from && t < from + 1000).length));
}

test('without a limit every turn comes at once', async () => {
  const turns = queue(createPacer({ perSecond: undefined, now }), 100);
  await vi.advanceTimersByTimeAsync(0);
  expect(new Set(times(turns, now()))).toEqual(new Set([0]));
});

test('a known limit is kept from the start, in order of arrival and without idling', async () => {
  const start = now();
  const turns = queue(createPacer({ perSecond: 5, now }), 12);
  await vi.advanceTimersByTimeAsync(5000);
  expect(turns.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  const [first, second, third] = [0, 1050, 2100];
  expect(times(turns, start)).toEqual([
    ...Array.from({ length: 5 }, () => first),
    ...Array.from({ length: 5 }, () => second),
    third,
    third,
  ]);
});

test('no second sees more turns than the limit, however they arrive', async () => {
  const arrivals = fc.array(fc.nat(300), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), arrivals, async (perSecond, pauses) => {
      const pacer = createPacer({ perSecond, now });
      const turns: (Turn | undefined)[] = [];
      for (const pause of pauses) {
        void pacer.turn(NEVER).then((turn) => turns.push(turn));
        await vi.advanceTimersByTimeAsync(pause);
      }
      await vi.advanceTimersByTimeAsync(60_000);
      expect(turns).toHaveLength(pauses.length);
      const at = turns.map((turn) => turn?.at ?? Number.NaN);
      expect(mostInASecond(at)).toBeLessThanOrEqual(perSecond);
    }),
    { numRuns: 50 },
  );
});

test('who would wait past its deadline is sent away at once', async () => {
  const start = now();
  const turns = queue(createPacer({ perSecond: 2, now }), 5, start + 1500);
  await vi.advanceTimersByTimeAsync(0);
  expect(times(turns, start)).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(1050);
  expect(times(turns, start)).toEqual([0, 0, 1050, 1050, undefined]);
});

test('after a refusal nobody is sent before the upstream says so', async () => {
  const pacer = createPacer({ perSecond: undefined, now });
  const start = now();
  const [turn] = await firstTurns(pacer, 1);
  pacer.noteRefused(turn!, 3000);
  const turns = queue(pacer, 1);
  await vi.advanceTimersByTimeAsync(2999);
  expect(turns).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(times(turns, start)).toEqual([3000]);
});

/** The turns that come at once. */
async function firstTurns(pacer: Pacer, count: number): Promise<Turn[]> {
  const turns = queue(pacer, count);
  await vi.advanceTimersByTimeAsync(0);
  return turns.flatMap(({ turn }) => turn ?? []);
}

/** Eight at once, of which the upstream takes five. */
async function learnFive(): Promise<Pacer> {
  const pacer = createPacer({ perSecond: undefined, now });
  const turns = await firstTurns(pacer, 8);
  for (const turn of turns.slice(5)) pacer.noteRefused(turn, undefined);
  return pacer;
}

test('an unknown limit is learnt from what was accepted before the refusal', async () => {
  const pacer = await learnFive();
  const start = now();
  const turns = queue(pacer, 11);
  await vi.advanceTimersByTimeAsync(10_000);
  const at = times(turns, start).map((time) => time ?? Number.NaN);
  expect(at).toHaveLength(11);
  expect(mostInASecond(at)).toBe(5);
});

test('after a quiet minute a learnt limit is tried one higher', async () => {
  const pacer = await learnFive();
  await vi.advanceTimersByTimeAsync(61_000);
  const turns = await firstTurns(pacer, 10);
  expect(turns).toHaveLength(6);
});

test('Retry-After is read as seconds or as a date, and rubbish is no wait', () => {
  const at = Date.parse('2026-11-20T12:00:00Z');
  expect(retryAfterMs('2', at)).toBe(2000);
  expect(retryAfterMs('Fri, 20 Nov 2026 12:00:30 GMT', at)).toBe(30_000);
  expect(retryAfterMs('Fri, 20 Nov 2026 11:00:00 GMT', at)).toBe(0);
  for (const header of [undefined, '', 'soon', ['1']])
    expect(retryAfterMs(header, at)).toBeUndefined();
});
