import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** A range whose own answer is cut short, and shorter ones that together have all of its days. */

const changes = (start: string, end: string) =>
  `legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount }`;

test('a range whose answer is cut short is complete once shorter ranges have brought all of its days', async () => {
  const { get, cost, sandbox } = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  const rewrite = (body: unknown, path: string) => {
    const { data, ...rest } = Object(body);
    const isCut = path.includes('start=2026-11-09') && path.includes('end=2026-11-16');
    return isCut ? { ...rest, total: 50, data: data.slice(0, 1) } : body;
  };
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  const whole = changes('2026-11-09', '2026-11-16');
  expect(await get(`{ whole: ${whole} }`)).toEqual({ whole: { totalCount: 50 } });
  type Part = Record<'part', { totalCount: number }>;
  const { part: first } = await get<Part>(`{ part: ${changes('2026-11-09', '2026-11-12')} }`);
  const { part: rest } = await get<Part>(`{ part: ${changes('2026-11-13', '2026-11-16')} }`);
  const totalCount = first.totalCount + rest.totalCount;
  expect(await get(`{ whole: ${whole} }`)).toEqual({ whole: { totalCount } });
  expect(await cost(`{ whole: ${whole} }`)).toBe(0);
});

test('days that a cut answer lacks are asked for alone if they have room in one answer', async () => {
  const { ask } = await open({ legislationPageSize: 20 });
  // Both tell how many records a day has, and bring days of the range below.
  for (const start of ['2026-11-14', '2026-11-08'])
    await ask(`{ ${changes(start, '2026-11-20')} }`);
  const filter = 'filter: { start: "2026-10-25", end: "2026-11-20" }';
  const question = `{ legislationChanges(${filter}, first: 100) { nodes { id } totalCount } }`;
  const { data, extensions } = await ask<{
    legislationChanges: { nodes: object[]; totalCount: number };
  }>(question);
  const { nodes, totalCount } = data.legislationChanges;
  expect(nodes).toHaveLength(totalCount);
  expect(extensions.usage.credits.used).toBe(2);
  expect(extensions.warnings).toBeUndefined();
});
