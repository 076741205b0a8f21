import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Which values of the header ask for a dry run. */

const ask = async (value: string) => {
  const { send } = await open();
  const headers = { 'content-type': 'application/json', 'x-usage-dry-run': value };
  const reply = await send({ method: 'POST', headers, body: '{"query":"{ __typename }"}' });
  return reply.data;
};

test.each(['', '0', 'False', 'no', 'OFF'])('%o asks for none', async (value) => {
  expect(await ask(value)).toEqual({ __typename: 'Query' });
});

test.each(['1', 'true', 'fasle', '00'])('%o asks for one', async (value) => {
  expect(await ask(value)).toBeNull();
});
