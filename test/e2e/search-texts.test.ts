import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Search texts reach the upstream in the one form that all servers read alike. */

test.each([
  ['legislationChanges', '/legislation/changes'],
  ['macroCatalog', '/v1/macro/catalog'],
])('a space is not sent as a plus: %s', async (field, path) => {
  const { ask, sandbox } = await open();
  await ask(`{ ${field}(filter: { search: "faiz oranı + vergi" }) { totalCount } }`);
  expect(sandbox.requests().map((request) => request.path)).toEqual([
    `${path}?q=faiz%20oran%C4%B1%20%2B%20vergi`,
  ]);
});
