import { expect, test } from 'vitest';
import { open, timeoutFor } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';

/** Requests that leave after a field has its answer: an operation ends, and is accounted for, only after them. */

const TTL_MS = 30_000;

test('an asset that is asked for by its ticker after another one has failed the field is paid by the operation', async () => {
  let ahead = 0;
  const monotonic = () => performance.now() + ahead;
  const { sandbox, get, ask } = await open({ env: timeoutFor('hang'), monotonic });
  const [low] = assetsBelow500(sandbox, 1);
  await get('{ cryptoAssets(first: 500, convert: EUR) { nodes { price } } }');
  // Nothing is asked for along with an asset whose last request has failed.
  sandbox.fault({ kind: 'status', status: 422, path: '/crypto/prices?symbols', times: 1 });
  await ask(`{ cryptoAsset(convert: EUR, symbol: "${low}") { price } }`);
  ahead += TTL_MS;
  const before = sandbox.requests().length;
  sandbox.fault({ kind: 'hang', path: '/crypto/prices?convert', times: 1 });
  sandbox.fault({ kind: 'status', status: 500, path: '/crypto/prices?symbols', times: 2 });
  const { errors, extensions } = await ask(
    `{ cryptoAssets(convert: EUR, filter: { symbols: ["BTC", "${low}"] }) { nodes { price } } }`,
  );
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  const paths = sandbox
    .requests()
    .slice(before)
    .map(({ path }) => path);
  expect(paths.at(-1)).toContain('symbols=BTC');
  expect(extensions.usage.upstream.requests).toBe(paths.length);
});
