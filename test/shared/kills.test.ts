import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limitVariable, METERS } from '../../src/meters.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access } from '../harness.ts';
import { type Store, STORES } from './stores.ts';

/** Gateways as separate processes, which are killed at arbitrary moments. */

/** `KILLS=200 npx vitest run test/shared/kills.test.ts` takes some ten minutes. */
const KILLS = Number(process.env['KILLS'] ?? 8);

const PAGE = `{
  fxRate(pair: "USDTRY") { buying history { points { date value } } }
  cryptoAssets(first: 500) { nodes { symbol price } }
  calendarEvents(first: 5) { nodes { id } }
  legislationChanges(first: 5) { nodes { id } }
  macroCatalog(first: 5) { nodes { code } }
}`;

async function openSandbox(opened: Promise<Store>, latencyMs = 0) {
  const store = await opened;
  const sandbox = await startSandbox({ latencyMs });
  onTestFinished(() => sandbox.close());
  const env = { ...access(sandbox), ...store.env, UPSTREAM_TIMEOUT_MS: '1000' };
  const units = () => sandbox.requests().filter(({ cost }) => cost > 0).length;
  return { sandbox, env, store, units };
}

const HIGH_LIMITS = Object.fromEntries(METERS.map((meter) => [limitVariable(meter), '1000000']));

const usedBy = ({ extensions }: Awaited<ReturnType<Ask>>) =>
  extensions.usage.fx.usedThisMonth +
  extensions.usage.macro.usedThisMonth +
  extensions.usage.credits.usedThisMonth;

type Ask = Awaited<ReturnType<ReturnType<typeof startProcess>['connect']>>['ask'];

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  describe.skipIf(isMissing)('a process that is killed', () => {
    test('leaves its fresh answers to its successor, which requests none of them again', async () => {
      const { sandbox, env: usual, store } = await openSandbox(openStore());
      // On a busy machine a request may take long; if it was repeated, more would be asked for than is stored.
      const env = { ...usual, UPSTREAM_TIMEOUT_MS: '30000' };
      const first = startProcess(env);
      const before = await (await first.connect()).ask(PAGE);
      const asked = sandbox.requests().length;
      // Legislation changes are stored by day, too.
      await expect.poll(store.stored).toBe(asked + 1);
      first.child.kill('SIGKILL');
      await first.exited;
      const after = await (await startProcess(env).connect()).ask(PAGE);
      expect([after.data, after.errors]).toEqual([before.data, []]);
      expect(sandbox.requests()).toHaveLength(asked);
      expect(usedBy(after)).toBe(usedBy(before));
    });

    test('during a request is replaced by one of the processes that wait for the answer', async () => {
      const { sandbox, env: usual } = await openSandbox(openStore());
      // The owner has to be killed before its request times out; the others wait a second longer than that.
      const env = { ...usual, UPSTREAM_TIMEOUT_MS: '5000' };
      const [owner, ...others] = [startProcess(env), startProcess(env), startProcess(env)];
      const asks = await Promise.all(others.map(async (other) => (await other.connect()).ask));
      const { ask } = await owner.connect();
      const query = '{ fxRates(first: 1) { totalCount } }';
      const release = sandbox.fault({ kind: 'hang', path: '/v1/fx/rates' });
      const lost = ask(query).catch((error: unknown) => error);
      await expect.poll(() => sandbox.requests().length).toBe(1);
      const waiting = Promise.all(asks.map((one) => one(query)));
      await pause(50);
      owner.child.kill('SIGKILL');
      release();
      expect(await lost).toBeInstanceOf(Error);
      for (const { errors } of await waiting) expect(errors).toEqual([]);
      expect(sandbox.requests()).toHaveLength(2);
    });

    test(
      'loses no unit, however often that happens',
      { timeout: 600_000 + KILLS * 15_000 },
      async () => {
        const { env: usual, units } = await openSandbox(openStore(), 5);
        // On a busy machine requests may time out: only where limits are set do they count nevertheless.
        const env = { ...usual, ...HIGH_LIMITS };
        const surviving = await startProcess({
          ...env,
          TTL_CRYPTO: '0.05',
          TTL_FX_RATES: '0.05',
        }).connect();
        const asked: Promise<unknown>[] = [];
        let underWay = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const killed = startProcess({ ...env, TTL_CRYPTO: '0.05', TTL_FX_RATES: '0.05' });
          const { ask } = await killed.connect();
          const load = Array.from({ length: 10 }, (_, i) =>
            ask(
              `{ cryptoAssets(first: ${i + 1}) { totalCount } fxRate(pair: "EURTRY") { buying history(start: "20${i + 10}-01-01") { change } } }`,
            ).catch(() => undefined),
          );
          asked.push(surviving.ask(PAGE));
          await Promise.race([asked.at(-1), pause(Math.random() * 60)]);
          killed.child.kill('SIGKILL');
          await killed.exited;
          await Promise.all(load);
          // Of the killed process, and requests of the surviving one that timed out and may not have been charged.
          underWay += 24;
        }
        await Promise.all(asked);
        await pause(1100);
        const counted = usedBy(await surviving.ask('{ usage { credits { usedThisMonth } } }'));
        expect(counted).toBeGreaterThanOrEqual(units());
        expect(counted).toBeLessThanOrEqual(units() + underWay);
      },
    );
  });
});
