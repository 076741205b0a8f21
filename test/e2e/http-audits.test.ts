import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The GraphQL-over-HTTP specification, by the audits of its reference implementation. */

const audits = serverAudits({ url: '' });

describe('over HTTP the server', () => {
  test.each(audits.map(({ id, name }) => ({ id, name })))('$name ($id)', async ({ id }) => {
    const { url } = await open();
    const audit = serverAudits({ url, fetchFn: fetch }).find((one) => one.id === id);
    const result = await audit?.fn();
    expect(result).toMatchObject({ status: 'ok' });
  });
});
