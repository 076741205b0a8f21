import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { DAY_MS } from '../../src/time.ts';
import { access } from '../harness.ts';
import { NO_PURPOSE } from './changes.ts';
import { createChanges, edit, moveEpoch, openReplica } from './replica.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

test.skipIf(NO_SERVER)(
  'units granted to a killed replica do not count as left, and clients are told of the limit',
  async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const LIMIT = 100;
    const env = {
      ...access(sandbox),
      SHARED_URL: (await startValkey()).url,
      FX_MONTHLY_LIMIT: String(LIMIT),
      MAX_UPSTREAM_REQUESTS_PER_OPERATION: '200',
    };
    const killed = startProcess(env);
    await killed.connect();
    // A unit is granted to it once the server's first two seconds are over.
    await pause(3000);
    killed.child.kill('SIGKILL');
    await killed.exited;
    const { ask } = await startProcess(env).connect();
    const rates = '{ fxRates { nodes { pair } } }';
    const { fxRates } = (await ask<{ fxRates: { nodes: { pair: string }[] } }>(rates)).data;
    /** Each pair needs a separate request. */
    const askIn = (year: number) => {
      const range = `start: "${year}-01-01", end: "${year}-01-03"`;
      const fields = fxRates.nodes.map(
        ({ pair }) => `${pair}: fxRate(pair: "${pair}") { history(${range}) { change } }`,
      );
      return ask(`{ ${fields.join(' ')} }`);
    };
    for (const year of [2005, 2010, 2015]) await askIn(year);
    const { errors, extensions } = await askIn(2020);
    expect(sandbox.requests()).toHaveLength(LIMIT - 1);
    expect(extensions.usage.fx).toMatchObject({ usedThisMonth: LIMIT - 1, remaining: 0 });
    const details = { code: 'QUOTA_EXCEEDED', limit: LIMIT, resetsAt: expect.any(String) };
    expect(errors[0]).toMatchObject({ extensions: details });
  },
);

test.skipIf(NO_SERVER)(
  'units granted to a replica stay set aside however long it is silent: it may be cut off, and spend them',
  async () => {
    const server = await startValkey();
    const [cut, other] = [await openReplica(server.url), await openReplica(server.url)];
    const [change, othersChange] = [createChanges(), createChanges()];
    const limit = 500;
    await cut.apply(change({ limit }));
    await moveEpoch(server, -2000);
    const { advance } = await cut.apply(change({ limit }));
    expect(advance).toBeGreaterThan(0);
    await edit(server, ({ writers }) => {
      for (const writer of Object.values(writers)) writer.at -= 2 * DAY_MS;
    });
    await other.apply(othersChange({ limit }));
    const take = [{ purpose: NO_PURPOSE, requests: limit, cost: 1 }];
    expect((await other.apply(othersChange({ limit, take }))).taken).toEqual([limit - advance]);
  },
);
