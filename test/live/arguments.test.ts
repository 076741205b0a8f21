import { expect, test } from 'vitest';
import { open } from './gateway.ts';

const INVALID = [
  ['no asset', 'cryptoAssetsUpdated(symbols: []) { id }'],
  ['no symbol', 'cryptoAssetsUpdated(symbols: ["not a symbol"]) { id }'],
  ['no pair', 'fxRatesUpdated(pairs: []) { id }'],
  ['a start after the end', calendar('start: "2026-12-02", end: "2026-12-01"')],
  ['a day that does not exist', calendar('start: "2026-02-30"')],
  ['a search without words', legislation('search: ""')],
  ['a range that ends before it starts', legislation('start: "2026-12-02", end: "2026-12-01"')],
  ['a range of legislation in the past', legislation('end: "2026-11-18"')],
  ['a range of releases in the past', calendar('end: "2026-11-18"')],
  ['releases that are not released', calendar('released: false')],
] as const;

function calendar(filter: string): string {
  return `calendarEventReleased(filter: { ${filter} }) { id }`;
}

function legislation(filter: string): string {
  return `legislationChangePublished(filter: { ${filter} }) { id }`;
}

test.for(INVALID)('%s is BAD_USER_INPUT over SSE, and costs nothing', async ([, field]) => {
  const live = await open();
  const { events, ended } = await live.sse(`subscription { ${field} }`);
  await ended;
  expect(events.map(({ errors }) => errors[0]?.extensions.code)).toEqual(['BAD_USER_INPUT']);
  expect(live.sandbox.requests()).toEqual([]);
});

test.for(INVALID)('%s is BAD_USER_INPUT over WebSocket, and costs nothing', async ([, field]) => {
  const live = await open();
  const { events, ended } = live.socket().subscribe(`subscription { ${field} }`);
  const failed = await ended;
  expect(failed ?? events[0]?.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(live.sandbox.requests()).toEqual([]);
});

test('a range in the past is named; one that ends yesterday, or never, may still bring something', async () => {
  const socket = (await open()).socket();
  const past = socket.subscribe(`subscription { ${legislation('end: "2026-11-18"')} }`);
  const others = ['2026-11-19', '9999-12-31'].map((end) =>
    socket.subscribe(`subscription { ${legislation(`end: "${end}"`)} }`),
  );
  const errors = (await past.ended) ?? past.events[0]?.errors;
  const message = 'filter.end: 2026-11-18 is in the past: no new records can match';
  expect(errors).toMatchObject([{ message }]);
  const synced = socket.sync().then(() => 'open');
  for (const { ended } of others) expect(await Promise.race([ended, synced])).toBe('open');
});

test('a document that does not fit the schema is refused over WebSocket, and the next is served', async () => {
  const live = await open();
  const socket = live.socket();
  const refused = await socket.subscribe('subscription { nothing }').ended;
  expect(refused).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  const served = socket.subscribe('{ fxRate(pair: "USDTRY") { pair } }');
  await served.ended;
  expect(served.events[0]?.data).toEqual({ fxRate: { pair: 'USDTRY' } });
  expect(served.events[0]?.extensions.usage.fx.used).toBe(1);
});
