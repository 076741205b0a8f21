import { describe, expect, test } from 'vitest';
import { limitVariable, METERS } from '../../src/meters.ts';
import { open, temporaryFolder } from '../harness.ts';
import { ALL_QUESTIONS } from './questions.ts';
import { forgetRows, otherProcess, rows, stored } from './stored.ts';
import { STORES } from './stores.ts';

/** Stored answers are read before the first question comes. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  test.skipIf(isMissing).each(ALL_QUESTIONS)(
    '%s: after the start the store is not needed',
    async (_dataset, query) => {
      const { env, stored: count, forget } = await openStore();
      const { get, another, sandbox } = await open({ env });
      const data = await get(query);
      await expect.poll(count).toBeGreaterThanOrEqual(sandbox.requests().length);
      const again = await another(env);
      await forget();
      expect(await again.cost(query)).toBe(0);
      expect(await again.get(query)).toEqual(data);
    },
  );
});

/** Opens a gateway over the rates that another one has stored, after the file was changed. */
async function openAgain(change: (folder: string) => void) {
  const DATA_DIR = temporaryFolder();
  // Each meter without a limit would cause a warning.
  const limits = METERS.map((meter) => [limitVariable(meter), '100']);
  const env = { DATA_DIR, ...Object.fromEntries(limits) };
  const { ask, another, log } = await open({ env });
  await ask(RATES);
  await stored(DATA_DIR, 1);
  change(DATA_DIR);
  return { again: await another(env), log, DATA_DIR };
}

test('keys of no dataset of this version do no harm', async () => {
  const odd = [
    'fx rates some',
    'macro catalog search',
    'calendar',
    'crypto by rank XAU  ',
    'crypto by ticker USD FORTNIGHT ',
    'legislation by day {}',
    'legislation answers [1]',
    'weather Ankara',
  ];
  const { again, log } = await openAgain((folder) => {
    const db = otherProcess(folder);
    const copy = db.prepare(
      `INSERT INTO answers (key, head, body, writer, stored_at, gone_at)
         SELECT replace(key, 'fx rates all', ?), head, body, writer, stored_at, gone_at
         FROM answers WHERE key LIKE '% fx rates all'`,
    );
    for (const key of odd) copy.run(key);
    db.close();
    expect(rows(folder)).toBe(1 + odd.length);
  });
  expect(await again.cost(RATES)).toBe(0);
  expect(log()).not.toMatch(/"level":[456]0/);
});

/** Makes the stored answers long. */
function lengthenAnswers(folder: string): void {
  const db = otherProcess(folder);
  db.exec(`INSERT INTO answers (key, head, body, writer, stored_at, gone_at)
    SELECT key, '', zeroblob(10000000), writer, stored_at, gone_at FROM answers`);
  db.close();
}

test('answers that take long to read are not read before they are asked for', async () => {
  const { again } = await openAgain(lengthenAnswers);
  expect(await again.cost(RATES)).toBe(0);
  const other = await openAgain(lengthenAnswers);
  forgetRows(other.DATA_DIR);
  expect(await other.again.cost(RATES)).toBe(1);
});
