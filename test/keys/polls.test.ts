import { expect, test } from 'vitest';
import { expectEvents } from '../live/gateway.ts';
import { type Keys, openKeys } from './clients.ts';
import { isOpen, listen, LIVE, POLL_OFTEN, socketOf } from './listening.ts';

/**
 * Who pays for live updates. The timers of polls are real; whether a poll sends a request depends on the clock,
 * which only the tests move.
 */

const fxDay = (limit: number) => [{ meter: 'FX', window: 'DAY', limit }];

/** Long enough for the upstream's rates to have moved. */
const STEP_MS = 60_000;

/** Returns the units of FX that each client has paid. */
async function paid({ ask }: Keys, ...clients: string[]) {
  const used = clients.map(async (client) => {
    const { extensions } = await ask(client, '{ __typename }');
    return extensions.usage.client?.budgets[0]?.used;
  });
  return Promise.all(used);
}

test('the client that listens first pays; when its budget is used up, the next one does', async () => {
  const keys = await openKeys(
    [
      { name: 'none', budgets: fxDay(0) },
      { name: 'first', budgets: fxDay(2) },
      { name: 'second', budgets: fxDay(2) },
    ],
    { env: POLL_OFTEN, unreadUnits: 4 },
  );
  const { bench, headersOf } = keys;
  const all = [socketOf(keys, 'first').subscribe(LIVE)];
  await expectEvents(all, 1);
  all.push(await listen(bench.url, headersOf('second')), socketOf(keys, 'none').subscribe(LIVE));
  await expectEvents(all, 1);
  const bills = [await paid(keys, 'first', 'second', 'none')];
  for (let poll = 2; poll <= 4; poll += 1) {
    bench.clock.advance(STEP_MS);
    await expectEvents(all, poll);
    bills.push(await paid(keys, 'first', 'second', 'none'));
  }
  expect(bills).toEqual([
    [1, 0, 0],
    [2, 0, 0],
    [2, 1, 0],
    [2, 2, 0],
  ]);
  expect(bench.sandbox.spent().fx).toBe(4);
});

test('when nobody can pay, all wait and none is ended: the next client that can pay serves all', async () => {
  const keys = await openKeys(
    [
      { name: 'poor', budgets: fxDay(0) },
      { name: 'poorer', budgets: fxDay(0) },
      { name: 'rich', budgets: fxDay(9) },
    ],
    { env: POLL_OFTEN, unreadUnits: 1 },
  );
  const { bench, headersOf } = keys;
  const all = [
    socketOf(keys, 'poor').subscribe(LIVE),
    await listen(bench.url, headersOf('poorer')),
  ];
  await expect.poll(() => bench.log()).toContain('CLIENT_BUDGET_EXCEEDED');
  expect(await Promise.all(all.map(isOpen))).toEqual([true, true]);
  expect(bench.sandbox.requests()).toEqual([]);
  all.push(await listen(bench.url, headersOf('rich')));
  await expectEvents(all, 1);
  expect(await paid(keys, 'poor', 'poorer', 'rich')).toEqual([0, 0, 1]);
});

test('a client that has left no longer pays', async () => {
  const clients = ['first', 'second'].map((name) => ({ name, budgets: fxDay(9) }));
  const keys = await openKeys(clients, { env: POLL_OFTEN, unreadUnits: 2 });
  const { bench, headersOf } = keys;
  const socket = socketOf(keys, 'first');
  const first = socket.subscribe(LIVE);
  await expectEvents([first], 1);
  const second = await listen(bench.url, headersOf('second'));
  await expectEvents([second], 1);
  first.leave();
  // A poll may be due before the gateway has read that.
  await socket.sync();
  bench.clock.advance(STEP_MS);
  await expectEvents([second], 2);
  expect(await paid(keys, 'first', 'second')).toEqual([1, 1]);
});

test('a budget that is used up fails fields only in the streams of its client', async () => {
  const keys = await openKeys([{ name: 'rich' }, { name: 'poor', budgets: fxDay(0) }], {
    env: POLL_OFTEN,
    unreadUnits: 2,
  });
  const { bench } = keys;
  const query = `subscription { fxRatesUpdated(pairs: ["USDTRY"]) {
    mid history(start: "2026-10-01") { change }
  } }`;
  const rich = socketOf(keys, 'rich').subscribe(LIVE);
  const poor = socketOf(keys, 'poor').subscribe(query);
  await expectEvents([rich, poor], 1);
  bench.clock.advance(STEP_MS);
  await expectEvents([rich, poor], 2);
  expect(rich.events.map(({ errors }) => errors)).toEqual([[], []]);
  for (const { errors, data } of poor.events) {
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['CLIENT_BUDGET_EXCEEDED']);
    expect(data).toMatchObject({ fxRatesUpdated: [{ mid: expect.any(Number), history: null }] });
  }
});

test('a client that may spend no unit in an operation pays for no poll: another one does, or all wait', async () => {
  const keys = await openKeys(
    [
      { name: 'none', maxUnitsPerOperation: 0, budgets: fxDay(9) },
      { name: 'one', maxUnitsPerOperation: 1, budgets: fxDay(9) },
    ],
    { env: POLL_OFTEN, unreadUnits: 1 },
  );
  const none = socketOf(keys, 'none').subscribe(LIVE);
  await expect.poll(() => keys.bench.log()).toContain('UPSTREAM_BUDGET_EXCEEDED');
  expect(await isOpen(none)).toBe(true);
  expect(keys.bench.sandbox.requests()).toEqual([]);
  const one = socketOf(keys, 'one').subscribe(LIVE);
  await expectEvents([one, none], 1);
  expect(await paid(keys, 'none', 'one')).toEqual([0, 1]);
});

test('a priority that was changed in the file decides who pays for open streams', async () => {
  const clients = ['first', 'second'].map((name) => ({ name, budgets: fxDay(9) }));
  const keys = await openKeys(clients, { env: POLL_OFTEN, unreadUnits: 2 });
  const all = [socketOf(keys, 'first').subscribe(LIVE)];
  await expectEvents(all, 1);
  all.push(socketOf(keys, 'second').subscribe(LIVE));
  await expectEvents(all, 1);
  const [first, second] = clients;
  keys.write([first!, { ...second!, priority: 'HIGH' }]);
  await expect.poll(() => keys.bench.log()).toContain('reloaded');
  keys.bench.clock.advance(STEP_MS);
  await expectEvents(all, 2);
  expect(await paid(keys, 'first', 'second')).toEqual([1, 1]);
});

test('a changed file applies to the next event of an open stream: budgets, and units an operation may spend', async () => {
  const clients = [{ name: 'web', budgets: fxDay(5) }, { name: 'other' }];
  const keys = await openKeys(clients, { env: POLL_OFTEN, unreadUnits: 3 });
  const { bench, write, ask } = keys;
  const query = `subscription { fxRatesUpdated(pairs: ["USDTRY"]) {
    mid history(start: "2026-10-01") { change }
  } }`;
  const stream = socketOf(keys, 'web').subscribe(query);
  await expectEvents([stream], 1);
  const limitOf = ({ extensions }: (typeof stream.events)[number]) =>
    extensions.usage.client?.budgets[0]?.limit;
  expect(stream.events.map(limitOf)).toEqual([5]);
  write([{ name: 'web', budgets: fxDay(9), maxUnitsPerOperation: 0 }, { name: 'other' }]);
  await expect.poll(async () => limitOf(await ask('web', '{ __typename }'))).toBe(9);
  // This one pays for the next poll.
  await expectEvents([socketOf(keys, 'other').subscribe(LIVE)], 1);
  bench.clock.advance(24 * 3_600_000);
  await expectEvents([stream], 2);
  expect(stream.events.map(limitOf)).toEqual([5, 9]);
  expect(
    stream.events.map(({ errors }) => errors.map(({ extensions }) => extensions.code)),
  ).toEqual([[], ['UPSTREAM_BUDGET_EXCEEDED']]);
});
