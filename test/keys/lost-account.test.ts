import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_SERVER, startValkey } from '../shared/valkey-server.ts';
import { budget, openLedger } from './spending.ts';

/** A server that loses the account of a meter, but not what its clients have spent. */

describe.skipIf(NO_SERVER)('a server that evicts an account', () => {
  test('counts the units of budgets once', async () => {
    const { url, command } = await startValkey();
    const { ledger, close } = await openLedger({ place: { url } });
    onTestFinished(close);
    const payer = { name: 'web', budgets: [budget('MONTH', 10)] };
    const spend = async () => {
      const given = await ledger.reserve('credits', { payer, operation: 'Q', dataset: 'crypto' });
      if (typeof given === 'object') given.end({ units: 1 });
      return given;
    };
    const used = () => ledger.budgets(payer)[0]?.used;
    await expect.poll(async () => typeof (await spend())).toBe('object');
    const before = used();
    const [account = ''] = (await command('KEYS', '*account*credits')) as string[];
    const isThere = async () => (await command('EXISTS', account)) === 1;
    for (const _ of ['once', 'again']) {
      await command('DEL', account);
      // Each heartbeat tells it what it has lost.
      await expect.poll(isThere).toBe(true);
    }
    await expect.poll(async () => typeof (await spend())).toBe('object');
    expect(used()).toBe(before! + 1);
  });
});
