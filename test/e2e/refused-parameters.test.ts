import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The upstream says that a parameter is wrong, but not which one (spec section 7): clients are told which were sent. */

test('an error about a refused parameter names all that were sent', async () => {
  const { ask, sandbox } = await open();
  const messageOf = async (path: string, query: string) => {
    sandbox.fault({ kind: 'status', status: 422, path });
    const [error] = (await ask(query)).errors;
    sandbox.clearFaults();
    return error?.message;
  };
  expect(
    await messageOf(
      '/crypto/prices',
      '{ cryptoAssets(first: 1, filter: { exchange: "x" }) { nodes { price } } }',
    ),
  ).toBe('The upstream refused a parameter: convert, exchange, limit');
  expect(
    await messageOf(
      '/v1/macro/series/TP.DK.USD.A',
      '{ macroSeries(code: "TP.DK.USD.A") { observations { change } } }',
    ),
  ).toBe('The upstream refused a parameter: code, start, end (the range may be too long for it)');
});
