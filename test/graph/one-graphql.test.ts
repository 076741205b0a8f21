import { GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { open } from '../harness.ts';

/**
 * A copy of graphql does not recognize objects of another copy: the schema would be invalid, and the gateway's
 * own errors would be masked as unexpected ones (vitest.config.ts).
 */

test('schema, server and sources share one copy of graphql', () => {
  expect(schema).toBeInstanceOf(GraphQLSchema);
});

test("the gateway's own errors reach the client unmasked", async () => {
  const { ask } = await open();
  const { errors } = await ask('{ fxRate(pair: "lira") { mid } }');
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/^pair: /), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});
