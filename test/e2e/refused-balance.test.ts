import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Balances that refusals state: a server may fill in a default where it knows none. */

const BODY = { success: false, creditsUsed: 0, creditsRemaining: 0, error: { code: 'any' } };
const BALANCE = '{ usage { credits { remaining } } }';
const balance = (remaining: number) => ({ usage: { credits: { remaining } } });
const LATER = '{ legislationChanges { totalCount } }';

test.each([
  { status: 401, paid: 1 },
  { status: 403, paid: 1 },
  // The next three are asked for once more.
  { status: 404, paid: 2 },
  { status: 422, paid: 2 },
  { status: 500, paid: 2 },
])('a zero beside a $status does not close the meter', async ({ status, paid }) => {
  const { ask, cost, get, sandbox } = await open();
  await get('{ cryptoAsset(symbol: "BTC") { price } }');
  const { usage } = await get<ReturnType<typeof balance>>(BALANCE);
  sandbox.fault({ kind: 'status', path: '/calendar/events', status, body: BODY, times: 1 });
  await ask('{ calendarEvents { totalCount } }');
  expect(await cost(LATER)).toBe(1);
  expect(await get(BALANCE)).toEqual(balance(usage.credits.remaining - paid));
});

test('a key that is refused stays the reason, whatever balance is stated', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault({ kind: 'status', status: 401, body: BODY });
  for (const currency of ['USD', 'TRY']) {
    const { errors } = await ask(`{ cryptoAssets(convert: ${currency}) { totalCount } }`);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTHENTICATION' } }]);
  }
});

test('any other balance of a refusal counts', async () => {
  const { ask, get, sandbox } = await open();
  await get('{ cryptoAsset(symbol: "BTC") { price } }');
  const body = { ...BODY, creditsRemaining: 7 };
  sandbox.fault({ kind: 'status', path: '/calendar/events', status: 404, body });
  await ask('{ calendarEvents { totalCount } }');
  expect(await get(BALANCE)).toEqual(balance(7));
});
