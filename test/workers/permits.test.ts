import { array, assert, asyncProperty, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createPace, WINDOW_MS } from '../../src/upstream/pace.ts';
import type { Link } from '../../src/workers/link.ts';
import { createPermitIssuer, permitsOver } from '../../src/workers/permits.ts';
import { linkPair } from './links.ts';

/** The upstream's rate limit, which several workers keep together. */

function openWorkers(count: number, perSecond: number) {
  const clock = { ms: 0 };
  const monotonic = () => clock.ms;
  const links: Link[] = [];
  const issue = createPermitIssuer(createPace(perSecond, monotonic), monotonic, links);
  const workers = Array.from({ length: count }, () => {
    const [ours, theirs] = linkPair();
    links.push(ours);
    issue(ours);
    return permitsOver(theirs, monotonic);
  });
  return { clock, workers };
}

test('in no second do all workers together get more permits than the limit', async () => {
  const step = record({
    worker: nat(2),
    wanted: integer({ min: 1, max: 5 }),
    ms: nat(700),
  });
  await assert(
    asyncProperty(integer({ min: 1, max: 6 }), array(step), async (limit, steps) => {
      const { clock, workers } = openWorkers(3, limit);
      const given: number[] = [];
      for (const { worker, wanted, ms } of steps) {
        clock.ms += ms;
        const taken = await workers[worker]!.take(wanted);
        given.push(...taken!.permits.map(() => clock.ms));
        const recent = given.filter((at) => at > clock.ms - WINDOW_MS);
        expect(recent.length).toBeLessThanOrEqual(limit);
        expect(taken!.nextAt).toBeGreaterThanOrEqual(clock.ms);
        expect(taken!.permits.length < wanted && recent.length < limit).toBe(false);
      }
    }),
  );
});

test('a permit counts from when a worker sends its request', async () => {
  const { clock, workers } = openWorkers(2, 1);
  const [one, other] = [workers[0]!, workers[1]!];
  const [permit] = (await one.take(1))!.permits;
  clock.ms += 45;
  expect(one.isLate(permit!)).toBe(false);
  one.noteSent(permit!);
  expect((await other.take(1))!.nextAt).toBe(45 + WINDOW_MS);
  clock.ms += 10;
  expect(one.isLate(permit!)).toBe(true);
});

test('a permit that a worker receives late, since it was busy, is late', async () => {
  const { clock, workers } = openWorkers(1, 1);
  const taken = workers[0]!.take(1);
  clock.ms += 60;
  const [permit] = (await taken)!.permits;
  expect(workers[0]!.isLate(permit!)).toBe(true);
});

test('a permit that one worker gives back goes to another one, which is told of it', async () => {
  const { workers } = openWorkers(2, 1);
  const [one, other] = [workers[0]!, workers[1]!];
  const [permit] = (await one.take(1))!.permits;
  expect((await other.take(1))!.permits).toEqual([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  other.onRoom(resolve);
  one.giveBack(permit!);
  await promise;
  expect((await other.take(1))!.permits).toHaveLength(1);
});

test('a refusal that one worker gets holds back all workers', async () => {
  const { clock, workers } = openWorkers(2, 10);
  const [one, other] = [workers[0]!, workers[1]!];
  const [permit] = (await one.take(1))!.permits;
  one.noteRefused(permit!, 5000);
  expect(await other.take(1)).toEqual({ permits: [], nextAt: 5000 });
  clock.ms = 5001;
  expect((await other.take(1))!.permits).toHaveLength(1);
});
