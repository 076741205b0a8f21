import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { apq, open, search } from './gateway.ts';

/** A text that was evicted is registered again, even if its answer is still cached. */

const QUERY = 'query Small { small: __typename }';
const HIT = { data: { small: 'Query' }, errors: [] };
const MISS = { code: 'PERSISTED_QUERY_NOT_FOUND' };
const SMALL = apq(sha256(QUERY));

/** Long enough that a few of them use up one client's share. */
const long = (i: number) => `# ${String(i).repeat(1_000_000)}\n{ __typename }`;

test.for(['POST', 'GET'])('an evicted text is registered again by %s', async (method) => {
  const { get, post } = await open();
  const register = () => {
    const parameters = { query: QUERY, ...SMALL };
    return method === 'GET' ? get(`/graphql${search(parameters)}`) : post(parameters);
  };
  for (let i = 0; i < 3; i += 1) expect(await register()).toMatchObject(HIT);
  expect(await post(SMALL)).toMatchObject(HIT);
  for (let i = 0; i < 5; i += 1) await post({ query: long(i), ...apq(sha256(long(i))) });
  expect(await post({ ...SMALL, operationName: 'Small' })).toMatchObject(MISS);
  expect(await register()).toMatchObject(HIT);
  expect(await post({ ...SMALL, operationName: 'Small' })).toMatchObject(HIT);
});
