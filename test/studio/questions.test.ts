import { expect, onTestFinished, test, vi } from 'vitest';
import { questionsAt } from '../../src/studio/page/questions.ts';
import { findLists, findSeries, retrievedAt } from '../../src/studio/page/series.ts';
import { open } from '../harness.ts';

const all = (now: number) => questionsAt(now).flatMap(({ questions }) => questions);
const isLive = ({ query }: { query: string }) => query.startsWith('subscription');

test('every question is answered, with something to see', async () => {
  const { get, clock } = await open();
  for (const { query, variables } of all(clock.now()).filter((each) => !isLive(each))) {
    const data = await get(query, JSON.parse(variables) as object);
    expect(findLists(data)[0]?.rows.length).toBeGreaterThan(0);
  }
});

test('the first question costs two units, and nothing when it is run again', async () => {
  const { cost, get, clock } = await open();
  const [{ query, variables } = { query: '', variables: '' }] = all(clock.now());
  const given = JSON.parse(variables) as object;
  expect(await cost(query, given)).toBe(2);
  expect(await cost(query, given)).toBe(0);
  const data = await get(query, given);
  const [series] = findSeries(data);
  expect(series?.name).toBe('USD/TRY');
  expect(series?.times.length).toBeGreaterThan(200);
  expect(retrievedAt(data)).toBe(clock.now());
});

test.each(['2026-11-30', '2026-12-01', '2027-01-15', '2027-03-04'])(
  'on %s, inflation is the change over twelve months',
  async (today) => {
    const { get, clock } = await open();
    clock.advance(Date.parse(today) - clock.now());
    const { query, variables } = all(clock.now()).find(({ id }) => id === 'inflation')!;
    const series = findSeries(await get(query, JSON.parse(variables) as object));
    for (const { times } of series) {
      const [first, last] = [times[0]!, times.at(-1)!].map((time) => new Date(1000 * time));
      expect(first!.getUTCMonth()).toBe(last!.getUTCMonth());
      expect(last!.getUTCFullYear() - first!.getUTCFullYear()).toBe(1);
    }
    expect(series).toHaveLength(2);
  },
);

test('events that are still due today are shown where a new day has begun', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const noon = Date.UTC(2026, 10, 30, 12);
  const starts = ['Pacific/Kiritimati', 'UTC', 'Pacific/Niue'].map((zone) => {
    vi.stubEnv('TZ', zone);
    const events = all(noon).find(({ id }) => id === 'events');
    return (JSON.parse(events!.variables) as { start: string }).start;
  });
  expect(starts).toEqual(Array(3).fill('2026-11-30'));
});
