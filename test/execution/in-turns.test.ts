import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { LONG_OPERATIONS, TURNS } from '../turns.ts';

/** Which fields a limit leaves room for, however busy the machine is. */

const FIELDS = [
  'rate: fxRate(pair: "USDTRY") { mid }',
  'series: macroSeries(code: "TP.DK.USD.A") { name }',
  'asset: cryptoAsset(symbol: "BTC") { price }',
  'events: calendarEvents { totalCount }',
];

describe.each(TURNS)('if fields begin %s', (_turns, begin) => {
  test('an operation sends no more requests than allowed, and its remaining fields say so', async () => {
    begin();
    const env = { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2', ...LONG_OPERATIONS };
    const { ask, sandbox } = await open({ env });
    const { data, errors } = await ask<Record<string, unknown>>(`{ ${FIELDS.join(' ')} }`);
    expect(sandbox.requests()).toHaveLength(2);
    expect(Object.values(data).filter((value) => value === null)).toHaveLength(2);
    const codes = errors.map(({ extensions }) => extensions['code']);
    expect(codes).toEqual(['UPSTREAM_BUDGET_EXCEEDED', 'UPSTREAM_BUDGET_EXCEEDED']);
    expect(errors[0]?.extensions).toMatchObject({
      group: 'B',
      meter: 'credits',
      setting: 'MAX_UPSTREAM_REQUESTS_PER_OPERATION',
      limit: 2,
      retryable: false,
    });
  });

  test('the first fields of one kind are served, the later ones are not', async () => {
    begin();
    const env = { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '3', ...LONG_OPERATIONS };
    const { ask } = await open({ env });
    const search = (i: number) =>
      `f${i}: legislationChanges(filter: { search: "vergi${i}" }) { totalCount }`;
    const { errors } = await ask(`{ ${[1, 2, 3, 4, 5].map(search).join(' ')} }`);
    expect(errors.map(({ path }) => path)).toEqual([['f4'], ['f5']]);
  });

  test('a budget that suffices for the first field only leaves nothing for a nested one', async () => {
    begin();
    const budgets = [{ meter: 'FX', window: 'DAY', limit: 1 }];
    const { ask } = await openKeys([{ name: 'web', budgets }], { env: LONG_OPERATIONS });
    const query = '{ fxRates { totalCount } fxRate(pair: "USDTRY") { history { change } } }';
    const { errors } = await ask('web', query);
    expect(errors.map(({ path }) => path)).toEqual([['fxRate', 'history']]);
  });
});
