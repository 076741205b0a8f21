import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What replicas on one server tell each other at once. */

async function openReplicas(env: Record<string, string> = {}) {
  const { url } = await startValkey();
  const bench = await open({ env: { SHARED_URL: url, ...env } });
  const other = await bench.another({ SHARED_URL: url, ...env });
  return { ...bench, other };
}

const ASSET = (symbol: string) => `{ cryptoAsset(symbol: "${symbol}") { price } }`;
const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe.skipIf(NO_SERVER)('replicas', () => {
  test('know of an operation that was registered with one of them', async () => {
    const { send, other } = await openReplicas();
    const query = 'query Told { __typename }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
    await send(post({ query, extensions }));
    await expect
      .poll(() => other.send(post({ extensions })))
      .toMatchObject({ data: { __typename: 'Query' }, errors: [] });
  });

  test('show the same account, and all are closed when the upstream refuses one', async () => {
    const { ask, other, sandbox } = await openReplicas();
    const credits = async ({ ask: one }: Pick<typeof other, 'ask'>) => {
      const { extensions } = await one('{ __typename }');
      const { usedThisMonth, remaining } = extensions.usage.credits;
      return { usedThisMonth, remaining };
    };
    await ask(ASSET('BTC'));
    expect(await credits({ ask })).toEqual({ usedThisMonth: 1, remaining: 99_999 });
    await expect.poll(() => credits(other)).toEqual({ usedThisMonth: 1, remaining: 99_999 });
    sandbox.set({ credits: 1 });
    const refused = await ask(ASSET('NOVZ'));
    expect(refused.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
    const asked = sandbox.requests().length;
    await expect.poll(() => credits(other)).toEqual({ usedThisMonth: 1, remaining: 0 });
    const { errors } = await other.ask(ASSET('NOVM'));
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
    expect(sandbox.requests()).toHaveLength(asked);
  });

  test('share one limit', async () => {
    const { ask, other, sandbox } = await openReplicas({ FX_MONTHLY_LIMIT: '5' });
    const pairs = ['USD', 'EUR', 'GBP', 'CHF', 'JPY', 'SAR', 'AUD', 'CAD'];
    const replies = await Promise.all(
      pairs.map((base, i) =>
        (i % 2 ? ask : other.ask)(
          `{ fxRate(pair: "${base}TRY") { history(start: "2026-10-01") { change } } }`,
        ),
      ),
    );
    expect(sandbox.spent().fx).toBe(5);
    const codes = replies.flatMap(({ errors }) =>
      errors.map((error) => error.extensions?.['code']),
    );
    expect(new Set(codes)).toEqual(new Set(['QUOTA_EXCEEDED']));
  });
});
