import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Replicas whose clocks differ, on machines of their own: answers are dated by the clock of the one that reads them. */

/** The only release at this moment is Germany's ifo index. */
const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const BEFORE_MS = 1500;
const AHEAD_MS = 300_000;

test.skipIf(NO_SERVER)(
  'an event is released on time, although a replica that is ahead has asked just before',
  async () => {
    const { url } = await startValkey();
    const env = { SHARED_URL: url };
    // The clock stands still until the gateways are open, which takes a while on a busy machine.
    let since = Infinity;
    const now = () => RELEASE - BEFORE_MS + Math.max(0, performance.now() - since);
    const { get, sandbox, another } = await open({ now, env });
    const other = await another(env, AHEAD_MS);
    const query = `{ calendarEvents(filter: { start: "2026-11-24", end: "2026-11-24", countries: ["DE"] }) {
      nodes { actual } provenance { retrievedAt } } }`;
    const ask = async () => {
      const { calendarEvents } = await get<{
        calendarEvents: { nodes: { actual: number | null }[]; provenance: { retrievedAt: string } };
      }>(query);
      const { nodes, provenance } = calendarEvents;
      return { actual: nodes[0]!.actual, aheadMs: Date.parse(provenance.retrievedAt) - now() };
    };
    since = performance.now();
    await other.ask(query);
    const before = await ask();
    expect(before.actual).toBeNull();
    expect(Math.abs(before.aheadMs)).toBeLessThan(60_000);
    expect(sandbox.spent().credits).toBe(1);
    await pause(BEFORE_MS);
    await expect.poll(async () => (await ask()).actual, { timeout: 10_000 }).not.toBeNull();
  },
);
