import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Long texts, whose errors have no locations: to find these would take longer than everything else. */

const EMPTY = ' ';

test.for([
  ['499 line breaks', '\n'.repeat(499), [{ line: 500, column: 3 }]],
  ['500 line breaks', '\n'.repeat(500), undefined],
  ['500 line breaks of two characters', '\r\n'.repeat(500), undefined],
  ['500 line breaks of another system', '\r'.repeat(500), undefined],
  ['16,300 characters in a line', EMPTY.repeat(16_300), [{ line: 1, column: 16_303 }]],
  ['16,400 characters in a line', EMPTY.repeat(16_400), undefined],
] as const)('an error behind %s', async ([, before, locations]) => {
  const { url, sandbox } = await open();
  const errorOf = async (field: string) => {
    const query = `${before}{ ${field} }`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return ((await answer.json()) as { errors: { locations?: unknown }[] }).errors[0]!;
  };
  expect((await errorOf('nothing')).locations).toEqual(locations);
  expect((await errorOf('cryptoAsset(symbol: "") { id }')).locations).toEqual(locations);
  expect(sandbox.requests()).toEqual([]);
});

test('in a long text a field with wrong arguments fails, and another one of the same type is served', async () => {
  const { ask } = await open();
  const wrong = 'fxRate(pair: "EURTRY") { history(start: "x") { change } }';
  const right = 'fxRate(pair: "USDTRY") { mid }';
  const { data, errors } = await ask(`${'\n'.repeat(600)}{ wrong: ${wrong} right: ${right} }`);
  expect(errors).toMatchObject([{ path: ['wrong', 'history'] }]);
  expect(data).toMatchObject({ right: { mid: expect.closeTo(44, -1) } });
});
