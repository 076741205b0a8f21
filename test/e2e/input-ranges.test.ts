import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Wrong days in the arguments of `history` and `observations`, which hang on another object. */

describe('a wrong argument', () => {
  test.each([
    ['fxRate(pair: "USDTRY") { wrong: history', 'fxRate'],
    ['macroSeries(code: "TP.DK.USD.A") { wrong: observations', 'macroSeries'],
  ])('of a range below another field is named: %s', async (start, parent) => {
    const { ask, sandbox } = await open();
    for (const [range, argument] of [
      ['start: "2026-11-20", end: "2026-11-19"', 'start'],
      ['start: "2027-01-01"', 'start'],
      ['start: "1700-01-01"', 'start'],
      ['end: "2026-13-01"', 'end'],
    ]) {
      const { data, errors } = await ask(`{ ${start}(${range}) { change } } }`);
      expect(data).toEqual({ [parent]: null });
      expect(errors).toMatchObject([
        { path: [parent, 'wrong'], extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect(errors[0]?.message).toMatch(new RegExp(`^${argument}: `));
    }
    // The object is not asked for either.
    expect(sandbox.requests()).toEqual([]);
  });

  test.each([
    'fxRate(pair: "USDTRY") { mid right: history { change } ...Wrong }',
    'fxRate(pair: "USDTRY") { mid ... on Node { ... on FxRate { ...Wrong } } }',
    'node(id: "FxRate:USDTRY") { id ...Wrong }',
  ])('of a range spends nothing on the object it is asked of: %s', async (field) => {
    const { ask, sandbox } = await open();
    const wrong = 'fragment Wrong on FxRate { wrong: history(start: "2026-02-30") { change } }';
    const { data, errors } = await ask(`{ one: ${field} usage { fx { limit } } } ${wrong}`);
    expect(data).toEqual({ one: null, usage: { fx: { limit: null } } });
    expect(errors).toMatchObject([
      { path: ['one', 'wrong'], message: expect.stringMatching(/^start: /) },
    ]);
    expect(sandbox.requests()).toEqual([]);
  });

  test('of a range fails its own place among nodes', async () => {
    const { ask } = await open();
    const { data, errors } =
      await ask(`{ nodes(ids: ["FxRate:USDTRY", "CalendarEvent:2026-11-20:x"]) {
      id ... on FxRate { history(end: "tomorrow") { change } } } }`);
    expect(data).toEqual({ nodes: [null, null] });
    expect(errors).toMatchObject([
      { path: ['nodes', 0, 'history'], message: expect.stringMatching(/^end: /) },
    ]);
  });

  test('of a range that is skipped fails nothing', async () => {
    const { get } = await open();
    const { fxRate } = await get<{ fxRate: unknown }>(
      `{ fxRate(pair: "USDTRY") { id history(start: "2026-02-30") @skip(if: true) { change }
        ... on FxRate @include(if: false) { wrong: history(end: "?") { change } } } }`,
    );
    expect(fxRate).toEqual({ id: 'FxRate:USDTRY' });
  });

  test('of a range that is selected of other objects only fails nothing', async () => {
    const { get } = await open();
    const rates = 'fxRates { history(start: "2026-02-30") { change } }';
    const { node } = await get<{ node: unknown }>(
      `{ node(id: "FxRate:USDTRY") { id ... on CalendarEvent { ${rates} } } }`,
    );
    expect(node).toEqual({ id: 'FxRate:USDTRY' });
  });
});
