import { describe, expect, test } from 'vitest';
import { MAY_BE_CHARGED_MS } from '../../src/shared/account.ts';
import { SHORT_MS } from '../../src/shared/stated-balance.ts';
import { spender, STORES } from './two-processes.ts';

/** A balance is lower than was counted: another process has not reported yet what it spent, or somebody else spends. */

describe.each(STORES)('$name', ({ open, isMissing }) => {
  test.skipIf(isMissing)(
    'units that another process reports a moment later were not spent elsewhere',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await other.sendHeartbeat();
      expect(await one.ask(100)).toBe(0);
      // The other one has spent three that are not counted yet.
      expect(await one.ask(96)).toBe(0);
      await other.tell(3);
      await pass(SHORT_MS);
      expect(await one.ask(95)).toBe(0);
      // Now it is known who has spent them: a new shortage has to last as long again.
      expect(await one.ask(90)).toBe(0);
    },
  );

  test.skipIf(isMissing)(
    'a shortage that another process has explained counts no more when there is another one',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await other.sendHeartbeat();
      await one.ask(100);
      expect(await one.ask(96)).toBe(0);
      await other.tell(3);
      await pass(SHORT_MS);
      await other.sendHeartbeat();
      // Four more, of which nobody has told yet.
      expect(await one.ask(91)).toBe(0);
    },
  );

  test.skipIf(isMissing)(
    'units that are still missing after a while are reported as spent elsewhere, once',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      expect(await one.ask(100)).toBe(0);
      await other.sendHeartbeat();
      expect(await one.ask(89)).toBe(0);
      await pass(SHORT_MS);
      await other.sendHeartbeat();
      expect(await one.ask(88)).toBe(10);
      expect(await one.ask(87)).toBe(0);
    },
  );

  test.skipIf(isMissing)('a process that counts alone reports missing units at once', async () => {
    const { stores } = await open();
    const one = spender(stores[0]);
    expect(await one.ask(100)).toBe(0);
    expect(await one.ask(89)).toBe(10);
  });

  test.skipIf(isMissing)(
    'units that were not charged are given back although others spend',
    async () => {
      const { stores, pass } = await open();
      const one = spender(stores[0]);
      await one.ask(100);
      expect(await one.ask(89)).toBe(10);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      // Of five, two were charged, or others have spent two more.
      await one.ask(86);
      expect(await one.used()).toBe(5);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late say nothing about requests that timed out',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await one.ask(100);
      expect(await one.ask(89)).toBe(10);
      // Five of the ten were spent by the other process, as it reports only now; all that timed out was charged.
      await other.tell(5);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await one.ask(83);
      expect(await one.used()).toBe(13);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late cast no doubt on time-outs that a balance has shown to be charged',
    async () => {
      const { stores, pass } = await open();
      const one = spender(stores[0]);
      await one.ask(100);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await one.ask(94);
      await one.tell(3);
      // Five units were bought.
      await one.ask(95);
      expect(await one.used()).toBe(11);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late may have hidden that requests which timed out were not charged',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await one.ask(100);
      await other.sendHeartbeat();
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await other.sendHeartbeat();
      // None of the five was charged; the other process has spent three, as it reports only later.
      await one.ask(96);
      await other.tell(3);
      await one.ask(95);
      expect(await one.used()).toBe(6);
    },
  );
});
