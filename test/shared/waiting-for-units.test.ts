import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What is asked for is claimed before its units are reserved. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';
const TIMEOUT_MS = 5000;

test.skipIf(NO_SERVER)(
  'a request that had to wait for units is claimed for as long as it may take, and other replicas wait for it',
  async () => {
    const { url, command } = await startValkey();
    const env = {
      SHARED_URL: url,
      FX_MONTHLY_LIMIT: '100',
      UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS),
    };
    const { ask, another, sandbox } = await open({ env, monotonic: () => performance.now() });
    const other = await another(env);
    const release = sandbox.fault({ kind: 'hold' });
    await command('FLUSHALL');
    const first = ask(RATES);
    const claims = async () => (await command('KEYS', '*flights*')) as string[];
    await expect.poll(claims).toHaveLength(1);
    const second = other.ask(RATES);
    // The server gives out no units for two seconds, since it has lost its memory.
    await expect.poll(() => sandbox.requests()).toHaveLength(1);
    const [claim = ''] = await claims();
    expect(await command('PTTL', claim)).toBeGreaterThan(TIMEOUT_MS);
    release();
    for (const { errors } of await Promise.all([first, second])) expect(errors).toEqual([]);
    expect(sandbox.requests()).toHaveLength(1);
  },
);
