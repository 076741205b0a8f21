import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SpentLine } from '../../src/shared/units.ts';
import { access } from '../harness.ts';
import { linesOf, openStore } from './lines.ts';
import { STORES } from './stores.ts';

/** It may take long to read who has spent what; nobody else has to wait for that. */

const FROM = 24 * Math.floor(Date.now() / 86_400_000) - 30;
/** These hours belong to two days. */
const HOURS = 12;
const LINES = linesOf(FROM, HOURS, 230);

const nameOf = ({ hour, client }: SpentLine) => `${hour} ${client}`;

/** Counts turns of the event loop. */
function countTurns() {
  let turn = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => turn;
}

describe.each(STORES)('$name', ({ open, isMissing }) => {
  async function openFilled() {
    const sandbox = await startSandbox();
    const store = await openStore({ ...access(sandbox), ...(await open()).env });
    onTestFinished(async () => {
      await store.close();
      await sandbox.close();
    });
    await store.write(LINES);
    return store;
  }

  test.skipIf(isMissing)(
    'each line is read once, by hours, and others get a turn after each portion, however many read',
    async () => {
      const { units } = await openFilled();
      const turn = countTurns();
      const turns: number[] = [];
      const read = async () => {
        const lines: SpentLine[] = [];
        for await (const portion of units.spent(FROM, FROM + HOURS)) {
          turns.push(turn());
          expect(portion.length).toBeLessThanOrEqual(500);
          lines.push(...portion);
        }
        return lines;
      };
      for (const lines of await Promise.all([read(), read(), read()])) {
        expect(lines.toSorted(byName)).toEqual(LINES.toSorted(byName));
        const hours = lines.map(({ hour }) => hour);
        expect(hours).toEqual(hours.toSorted((a, b) => a - b));
      }
      expect(turns.length).toBeGreaterThan(15);
      expect(new Set(turns).size).toBe(turns.length);
    },
  );

  test.skipIf(isMissing)('spending meanwhile makes no line appear twice or get lost', async () => {
    const { units, write } = await openFilled();
    const found: string[] = [];
    let clients = 230;
    for await (const portion of units.spent(FROM, FROM + HOURS)) {
      found.push(...portion.map(nameOf));
      clients += 40;
      await write(linesOf(FROM, HOURS, clients));
    }
    expect(new Set(found).size).toBe(found.length);
    expect(new Set(found).isSupersetOf(new Set(LINES.map(nameOf)))).toBe(true);
  });
});

const byName = (a: SpentLine, b: SpentLine) => (nameOf(a) < nameOf(b) ? -1 : 1);
