import { describe, expect, test } from 'vitest';
import { createClock, open } from './harness.ts';
import * as spec from './spec.ts';

const parse = (answer: { body: unknown }) => spec.legislation.parse(answer.body);

describe('legislation changes', () => {
  test('are by default those of two years, newest first, several per business day', async () => {
    const { b } = await open();
    const { data, total } = parse(await b('/legislation/changes'));
    const days = data.map(({ publishedAt }) => publishedAt);
    expect(total).toBe(data.length);
    expect(days).toEqual(days.toSorted().toReversed());
    expect([days[0], days.at(-1)?.slice(0, 7)]).toEqual(['2026-11-20', '2024-11']);
    expect(data.length / new Set(days).size).toBeGreaterThan(2);
    expect(days.some((day) => [0, 6].includes(new Date(day).getUTCDay()))).toBe(false);
    expect(new Set(data.map(({ id }) => id)).size).toBe(total);
    expect(new Set(data.map(({ parentLaw }) => parentLaw.number === '-')).size).toBe(2);
  });

  test('have no old text when something is added, and no new one when it is repealed', async () => {
    const { b } = await open();
    const { data } = parse(await b('/legislation/changes'));
    for (const { changeType, diff, publishedAt, effectiveDate } of data) {
      expect(diff.before === '').toBe(changeType === 'ekleme');
      expect(diff.after === '').toBe(changeType === 'yururlukten-kaldirma');
      expect(diff.before).not.toBe(diff.after);
      expect(effectiveDate >= publishedAt).toBe(true);
    }
  });

  test('are filtered by dates, type, topic and the slug of the institution', async () => {
    const { b } = await open();
    const range = '/legislation/changes?start=2026-05-01&end=2026-10-31';
    const all = parse(await b(range)).data;
    expect(all.every((r) => r.publishedAt >= '2026-05-01' && r.publishedAt <= '2026-10-31')).toBe(
      true,
    );
    const laws = parse(await b(`${range}&type=kanun`)).data;
    expect(laws).toEqual(all.filter(({ type }) => type === 'kanun'));
    const labour = parse(await b(`${range}&topic=labour%20law`)).data;
    expect(labour).toEqual(all.filter(({ topics }) => topics.includes('labour law')));
    const board = parse(await b(`${range}&institution=spk`)).data;
    expect(board).toEqual(all.filter((r) => r.institution === 'Sermaye Piyasası Kurulu'));
    expect(Math.min(laws.length, labour.length, board.length)).toBeGreaterThan(0);
  });

  test('are searched in title, summary and text, ignoring Turkish case', async () => {
    const { b } = await open();
    const idsOf = async (q: string) => {
      const { data } = parse(await b(`/legislation/changes?q=${encodeURIComponent(q)}`));
      return data.map(({ id }) => id);
    };
    const upper = await idsOf('KATMA DEĞER VERGİSİ');
    expect(upper).toEqual(await idsOf('katma değer vergisi'));
    expect((await idsOf('CAYMA HAKKINA SAHİPTİR')).length).toBeGreaterThan(0);
  });

  test('never change for a day that is past, and the day of a record finds it again', async () => {
    const clock = createClock();
    const { sandbox } = await open({ now: clock.now });
    const read = () => {
      const path = '/legislation/changes?start=2026-11-20&end=2026-11-20';
      return parse(sandbox.answer('B', path)).data;
    };
    const before = read();
    clock.set('2027-11-20T12:00:00+03:00');
    expect(read()).toEqual(before);
  });

  test('are cut to the page size, with the full count as total', async () => {
    const { b, sandbox } = await open();
    const { total, data } = parse(await b('/legislation/changes'));
    sandbox.set({ legislationPageSize: 50 });
    const page = parse(await b('/legislation/changes'));
    expect(page.total).toBe(total);
    expect(page.data).toEqual(data.slice(0, 50));
  });

  test.each([
    ['?type=karar', 422, 'invalid_parameter'],
    ['?start=2026-11-31', 422, 'invalid_parameter'],
    ['?start=2026-11-20&end=2026-11-19', 422, 'invalid_parameter'],
    ['?institution=nobody', 404, 'no_data'],
    ['?q=xyzzy', 404, 'no_data'],
    ['?start=2026-11-14&end=2026-11-15', 404, 'no_data'],
    ['?start=2030-01-01&end=2030-02-01', 404, 'no_data'],
  ])('%s is refused with %i %s and costs nothing', async (query, status, code) => {
    const { b, sandbox } = await open();
    const answer = await b(`/legislation/changes${query}`);
    expect([answer.status, spec.errorB.parse(answer.body).code]).toEqual([status, code]);
    expect(sandbox.spent().credits).toBe(0);
  });
});
