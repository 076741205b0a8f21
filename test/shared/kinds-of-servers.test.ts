import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { open } from '../harness.ts';
import { startCluster } from './cluster.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** SHARED_URL names a cluster, a user of limited rights, or a server behind TLS. */

const QUERY = '{ cryptoAssets(first: 5) { nodes { symbol price } } }';

/** What is seen if one gateway has what another one has requested, and both show the same account. */
const SHARED = { requests: 0, isSameData: true, isSameAccount: true };
/** On a busy machine the server may answer too late for one gateway: the next one is asked then. */
const IN_THE_END = { timeout: 20_000 };

/** Asks a gateway; returns a function that asks the same of a new one, and compares the answers. */
async function comparing(SHARED_URL: string) {
  const { get, ask, another } = await open({ env: { SHARED_URL } });
  const data = await get(QUERY);
  return async () => {
    const second = await (await another({ SHARED_URL })).ask(QUERY);
    const { usage } = second.extensions;
    const { credits } = (await ask(QUERY)).extensions.usage;
    return {
      requests: usage.upstream.requests,
      isSameData: isDeepStrictEqual(second.data, data),
      isSameAccount: isDeepStrictEqual(usage.credits, credits),
    };
  };
}

describe.skipIf(NO_SERVER)('SHARED_URL', () => {
  test('may name one node of a cluster, or several', async () => {
    const urls = (await startCluster()).map(({ url }) => url);
    for (const url of urls) await expect.poll(await comparing(url), IN_THE_END).toEqual(SHARED);
    await expect.poll(await comparing(urls.join(',')), IN_THE_END).toEqual(SHARED);
  });

  test('may name a user that has only the rights that are needed', async () => {
    const { url, command } = await startValkey();
    const rights = ['~{marketgraph}*', '&{marketgraph}*', '+@read', '+@write', '+@scripting'];
    const more = ['+@connection', '+@pubsub', '+info', '+time', '-@dangerous', '+info'];
    await command('ACL', 'SETUSER', 'gateway', 'on', '>p@ss:word', ...rights, ...more);
    await command('ACL', 'SETUSER', 'default', 'off');
    const { host } = new URL(url);
    await expect
      .poll(
        await comparing(`redis://gateway:${encodeURIComponent('p@ss:word')}@${host}`),
        IN_THE_END,
      )
      .toEqual(SHARED);
  });

  test('may name such a user of a cluster', async () => {
    const nodes = await startCluster();
    const rights = ['~{marketgraph}*', '&{marketgraph}*', '-@all', '+@read', '+@write', '+time'];
    const more = ['+@scripting', '+@connection', '+@pubsub', '+info', '+cluster|slots'];
    for (const { command } of nodes)
      await command('ACL', 'SETUSER', 'gateway', 'on', '>word', ...rights, ...more);
    const { host } = new URL(nodes[0]!.url);
    await expect.poll(await comparing(`redis://gateway:word@${host}`), IN_THE_END).toEqual(SHARED);
  });

  test('may name a database', async () => {
    const { url } = await startValkey();
    await expect.poll(await comparing(`${url}/3`), IN_THE_END).toEqual(SHARED);
  });

  test('may name another database, which hears nothing of the first one', async () => {
    const { url } = await startValkey();
    const query = 'query Told { __typename }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };
    const post = (body: object) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { send, another } = await open({ env: { SHARED_URL: `${url}/0` } });
    const [same, other] = [
      await another({ SHARED_URL: url }),
      await another({ SHARED_URL: `${url}/1` }),
    ];
    await send(post({ query, extensions }));
    await expect.poll(() => same.send(post({ extensions }))).toMatchObject({ errors: [] });
    const { errors } = await other.send(post({ extensions }));
    expect(errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]);
  });

  test('whose user may not read when the server was started: the log says so', async () => {
    const { url, command } = await startValkey();
    const rights = ['~{marketgraph}*', '&{marketgraph}*', '+@all', '-info'];
    await command('ACL', 'SETUSER', 'gateway', 'on', '>word', ...rights);
    const { host } = new URL(url);
    const SHARED_URL = `redis://gateway:word@${host}`;
    const { ask, log } = await open({ env: { SHARED_URL } });
    await ask(QUERY);
    await expect.poll(log).toContain('grant its user +info');
  });

  test('whose server may evict what counts units: the log warns of it once', async () => {
    const limit = ['--maxmemory', '100mb', '--maxmemory-policy'];
    const WARNING = 'may evict what counts units';
    for (const [policy, times] of [
      ['volatile-lru', 1],
      ['noeviction', 0],
    ] as const) {
      const { url } = await startValkey(...limit, policy);
      const { ask, log } = await open({ env: { SHARED_URL: url } });
      await ask(QUERY);
      expect(log().split(WARNING)).toHaveLength(times + 1);
    }
  });

  test('whose server has only counted for other addresses: the log says once that limits begin anew', async () => {
    const { url: SHARED_URL } = await startValkey();
    const { ask, another, log, sandbox } = await open({ env: { SHARED_URL } });
    await ask(QUERY);
    const warnings: number[] = [];
    for (const path of ['', '/other', '/other', '']) {
      const other = await another({ SHARED_URL, GROUP_A_URL: `${sandbox.groupA.url}${path}` });
      await other.ask(QUERY);
      warnings.push(log().split('begin anew').length - 1);
    }
    expect(warnings).toEqual([0, 1, 1, 1]);
  });
});
