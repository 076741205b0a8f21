import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Wrong arguments of `history` and `observations`, which are fields of another object. */

describe('a wrong argument', () => {
  test.each([
    ['fxRate(pair: "USDTRY") { wrong: history', 'fxRate'],
    ['macroSeries(code: "TP.DK.USD.A") { wrong: observations', 'macroSeries'],
  ])('of a nested range is named: %s', async (start, parent) => {
    const { ask, sandbox } = await open();
    for (const [range, argument] of [
      ['start: "2026-11-20", end: "2026-11-19"', 'start'],
      ['start: "2027-01-01"', 'start'],
      ['start: "1700-01-01"', 'start'],
      ['end: "2026-13-01"', 'end'],
      ['last: 0', 'last'],
      ['last: -5, end: "2026-11-01"', 'last'],
      ['last: 10001', 'last'],
      ['last: 5, start: "2026-11-01"', 'last'],
      ['last: 5, end: "2026-11-31"', 'end'],
    ]) {
      const { data, errors } = await ask(`{ ${start}(${range}) { change } } }`);
      expect(data).toEqual({ [parent]: { wrong: null } });
      expect(errors).toMatchObject([
        { path: [parent, 'wrong'], extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect(errors[0]?.message).toMatch(new RegExp(`^${argument}: `));
    }
    const { errors } = await ask(`{ ${start}(start: "2026-11-01", last: 5) { change } } }`);
    expect(errors[0]?.message).toContain('cannot be combined with start');
    // The parent object is not requested either.
    expect(sandbox.requests()).toEqual([]);
  });

  test.each([
    ['fxRate(pair: "USDTRY") { pair right: history { end } ...Wrong }', 2],
    ['fxRate(pair: "USDTRY") { pair ... on Node { ... on FxRate { ...Wrong } } }', 1],
    ['node(id: "FxRate:USDTRY") { id ...Wrong }', 1],
  ])('of a range does not affect other fields: %s', async (field, requests) => {
    const { ask, sandbox } = await open();
    const wrong = 'fragment Wrong on FxRate { wrong: history(start: "2026-02-30") { change } }';
    const { data, errors } = await ask(`{ one: ${field} usage { fx { limit } } } ${wrong}`);
    expect(data).toMatchObject({ one: { wrong: null }, usage: { fx: { limit: null } } });
    expect(errors).toMatchObject([
      { path: ['one', 'wrong'], message: expect.stringMatching(/^start: /) },
    ]);
    expect(sandbox.requests()).toHaveLength(requests);
  });

  test('of a range fails only its own entry of nodes, whose object is not requested for it', async () => {
    const { ask, sandbox } = await open();
    const { data, errors } = await ask(`{ nodes(ids: ["FxRate:USDTRY", "MacroSeries:TP.DK.USD.A"]) {
      ... on FxRate { history(end: "tomorrow") { change } } ... on MacroSeries { code } } }`);
    expect(data).toEqual({ nodes: [{ history: null }, { code: 'TP.DK.USD.A' }] });
    expect(errors).toMatchObject([
      { path: ['nodes', 0, 'history'], message: expect.stringMatching(/^end: /) },
    ]);
    expect(sandbox.spent()).toEqual({ fx: 0, macro: 1, credits: 0 });
  });

  test('of a range that is skipped fails nothing', async () => {
    const { get } = await open();
    const { fxRate } = await get<{ fxRate: unknown }>(
      `{ fxRate(pair: "USDTRY") { id history(start: "2026-02-30") @skip(if: true) { change }
        ... on FxRate @include(if: false) { wrong: history(end: "?") { change } } } }`,
    );
    expect(fxRate).toEqual({ id: 'FxRate:USDTRY' });
  });

  test('of a range that is selected only on other types fails nothing', async () => {
    const { get } = await open();
    const rates = 'fxRates { history(start: "2026-02-30") { change } }';
    const { node } = await get<{ node: unknown }>(
      `{ node(id: "FxRate:USDTRY") { id ... on CalendarEvent { ${rates} } } }`,
    );
    expect(node).toEqual({ id: 'FxRate:USDTRY' });
  });
});
