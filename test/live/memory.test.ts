import { expect, test } from 'vitest';
import { begin, growthOf } from '../transport/memory.ts';
import { expectEvents, open } from './gateway.ts';

/** An open subscription keeps only what its events need in memory. */

const SELECTED = 'fxRatesUpdated(pairs: ["USDTRY"])';
const RATES = `subscription { ${SELECTED} { mid } }`;
const VARIABLE =
  'subscription ($pairs: [CurrencyPair!]!) { fxRatesUpdated(pairs: $pairs) { mid } }';
const PAD = 'x'.repeat(1_000_000);
const NAME = 'a'.repeat(250);

/** A document that no other client sends, with that many fields. */
const textOf = (i: number, fields: number) =>
  `subscription { ${SELECTED} { ${Array.from({ length: fields }, (_, j) => `a${i}_${j}: mid`).join(' ')} } }`;

test.each([
  ['no unknown parameters', 30, () => ({ query: RATES, PAD }), 15],
  ['no undeclared variables', 30, () => ({ query: RATES, variables: { PAD } }), 15],
  // Parsed, each document takes 1.5 MB. All together they exceed the limit of the cache of documents.
  ['no parsed document', 60, (i: number) => ({ query: textOf(i, 2000) }), 75],
] as const)('an open subscription keeps %s', async (_what, count, parameters, most) => {
  const live = await open();
  const growth = await growthOf(async () => {
    for (let i = 0; i < count; i += 1) {
      const body = JSON.stringify(parameters(i));
      const { first } = await begin(live.url, { accept: 'text/event-stream', body });
      expect(await first).toContain('200 OK');
    }
  });
  expect(growth).toBeLessThan(most);
  await live.expectRequests(1);
});

test('a subscription goes on when its document is no longer cached', async () => {
  const live = await open({ env: { TTL_FX_RATES: '0.1' } });
  const query =
    'subscription Kept($pairs: [CurrencyPair!]!) { kept: fxRatesUpdated(pairs: $pairs) { mid } }';
  const subscriber = await live.sse(query, { pairs: ['USDTRY'] });
  await expectEvents([subscriber], 1);
  for (let i = 0; i < 10; i += 1) {
    const fields = Array.from({ length: 400 }, (_, j) => `${NAME}${i}_${j}: __typename`);
    // A document that is sent twice is cached.
    for (let times = 0; times < 2; times += 1) await live.ask(`{ ${fields.join(' ')} }`);
  }
  live.step();
  await expectEvents([subscriber], 2);
  const [first, second] = subscriber.events.map(({ data }) => data);
  expect(second).toEqual({ kept: [{ mid: expect.any(Number) }] });
  expect(second).not.toEqual(first);
});

test.each(['over a WebSocket', 'as server-sent events'])(
  'text and variables of a subscription %s are 32 KiB at most',
  async (way) => {
    const live = await open();
    const socket = live.socket();
    const subscribe = async (query: string, variables?: Record<string, unknown>) =>
      way === 'over a WebSocket' ? socket.subscribe(query, variables) : live.sse(query, variables);
    const variables = { pairs: ['USDTRY'] };
    const rest = 32_768 - VARIABLE.length - JSON.stringify(variables).length;
    const [fits, tooLong] = [rest, rest + 1].map((length) => `${VARIABLE}${' '.repeat(length)}`);
    await expectEvents([await subscribe(fits!, { ...variables, PAD })], 1);
    await live.expectRequests(1);
    const { events, ended } = await subscribe(tooLong!, variables);
    const errors = (await ended) ?? events[0]?.errors;
    expect(errors).toMatchObject([
      {
        message:
          'The subscription has 32769 bytes including its variables; at most 32768 are allowed.',
        extensions: { code: 'OPERATION_TOO_LARGE' },
      },
    ]);
    await live.expectRequests(1);
  },
);
