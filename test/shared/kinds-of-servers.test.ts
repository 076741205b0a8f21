import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** SHARED_URL names a cluster, a user of limited rights, or a server behind TLS. */

const QUERY = '{ cryptoAssets(first: 5) { nodes { symbol price } } }';

/** Whether what one gateway has asked for the other has, and both show the same account. */
async function isShared(SHARED_URL: string): Promise<boolean> {
  const { get, ask, another } = await open({ env: { SHARED_URL } });
  const data = await get(QUERY);
  const other = await another({ SHARED_URL });
  const second = await other.ask(QUERY);
  const first = await ask(QUERY);
  expect(second.data).toEqual(data);
  expect(second.extensions.usage.credits).toEqual(first.extensions.usage.credits);
  return second.extensions.usage.upstream.requests === 0;
}

/** Three masters, each with a third of the slots. */
async function startCluster() {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const nodes = [
    await startValkey(...options),
    await startValkey(...options),
    await startValkey(...options),
  ];
  const ranges = [
    ['0', '5460'],
    ['5461', '10922'],
    ['10923', '16383'],
  ];
  for (const [i, { command }] of nodes.entries())
    await command('CLUSTER', 'ADDSLOTSRANGE', ...ranges[i]!);
  for (const { url } of nodes.slice(1))
    await nodes[0]!.command('CLUSTER', 'MEET', '127.0.0.1', new URL(url).port);
  for (const { command } of nodes)
    await expect
      .poll(() => command('CLUSTER', 'INFO'), { timeout: 10_000 })
      .toContain('cluster_state:ok');
  return nodes.map(({ url }) => url);
}

describe.skipIf(NO_SERVER)('SHARED_URL', { timeout: 30_000 }, () => {
  test('may name one node of a cluster, or several', async () => {
    const urls = await startCluster();
    for (const url of urls) expect(await isShared(url)).toBe(true);
    expect(await isShared(urls.join(','))).toBe(true);
  });

  test('may name a user that may do no more than is needed', async () => {
    const { url, command } = await startValkey();
    const rights = ['~{marketgraph}*', '&{marketgraph}*', '+@read', '+@write', '+@scripting'];
    const more = ['+@connection', '+@pubsub', '+info', '+time', '-@dangerous', '+info'];
    await command('ACL', 'SETUSER', 'gateway', 'on', '>p@ss:word', ...rights, ...more);
    await command('ACL', 'SETUSER', 'default', 'off');
    const { host } = new URL(url);
    expect(await isShared(`redis://gateway:${encodeURIComponent('p@ss:word')}@${host}`)).toBe(true);
  });

  test('may name a database', async () => {
    const { url } = await startValkey();
    expect(await isShared(`${url}/3`)).toBe(true);
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
});
