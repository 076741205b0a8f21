import { expect, test } from 'vitest';
import { expectEvents, open } from './gateway.ts';

/** An upstream that has no changes by mistake when the first client subscribes, as after a restart. */

const TTL_MS = 100;
const ENV = { TTL_LEGISLATION: '0.1' };
const PUBLISHED = 'subscription { legislationChangePublished { recordId } }';

const empty = (body: unknown) => Object.assign({}, body, { data: [], total: 0 });

/** Adds a record at the top of the upstream's list. */
function withNewLaw(body: unknown): unknown {
  const { total, data, ...rest } = Object(body);
  return { ...rest, total: total + 1, data: [{ ...data[0], id: 'rg-new' }, ...data] };
}

test.each([
  ['without records', { kind: 'rewrite', path: '/legislation', rewrite: empty }, 1],
  ['with no_data', { kind: 'status', status: 404, body: { code: 'no_data' } }, 1],
  // Then the days are asked for by themselves, too.
  ['with a plain 404', { kind: 'status', status: 404, body: { message: 'Not Found' } }, 2],
] as const)(
  'old changes are not sent as new after an answer %s',
  async (_name, fault, requests) => {
    const live = await open({ env: ENV });
    live.sandbox.fault(fault);
    const subscriber = await live.sse(PUBLISHED);
    await live.expectRequests(requests);
    live.sandbox.clearFaults();
    live.advance(TTL_MS);
    await live.expectRequests(requests + 1);
    live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: withNewLaw });
    live.advance(TTL_MS);
    await expectEvents([subscriber], 1);
    expect(subscriber.events.map(({ data }) => data)).toEqual([
      { legislationChangePublished: { recordId: 'rg-new' } },
    ]);
  },
);

test('the first change after empty answers that go on is sent', async () => {
  const live = await open({ env: ENV });
  live.sandbox.fault({ kind: 'status', status: 404, body: { code: 'no_data' } });
  const subscriber = await live.sse(PUBLISHED);
  for (let polls = 1; polls <= 4; polls += 1) {
    await live.expectRequests(polls);
    live.advance(polls < 4 ? TTL_MS : 0);
  }
  live.sandbox.clearFaults();
  const onlyNew = (body: unknown) => {
    const { data, ...rest } = Object(withNewLaw(body));
    return { ...rest, total: 1, data: data.slice(0, 1) };
  };
  live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: onlyNew });
  live.advance(TTL_MS);
  await expectEvents([subscriber], 1);
  expect(subscriber.events).toHaveLength(1);
});
