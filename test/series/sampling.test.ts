import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openWithValues, RANGE, someValues, type Value } from './upstream.ts';

/** Points by period, candles, means and samples, compared with a plain computation by Temporal's calendar. */

const PERIODS = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;
const SAMPLINGS = ['FIRST', 'LAST', 'MEAN', 'MIN', 'MAX'] as const;
type Period = (typeof PERIODS)[number];

const NUM_RUNS = 60;

/** Returns the first day of the period that a date lies in, and that of the next period. */
function boundsOf(date: string, period: Period): [Temporal.PlainDate, Temporal.PlainDate] {
  const day = Temporal.PlainDate.from(date);
  if (period === 'DAY') return [day, day.add({ days: 1 })];
  if (period === 'WEEK') {
    const monday = day.subtract({ days: day.dayOfWeek - 1 });
    return [monday, monday.add({ days: 7 })];
  }
  const months = { MONTH: 1, QUARTER: 3, YEAR: 12 }[period];
  const month = day.month - ((day.month - 1) % months);
  const first = day.with({ month, day: 1 });
  return [first, first.add({ months })];
}

function groupsOf(values: readonly Value[], period: Period): Value[][] {
  const groups = Map.groupBy(values, ({ date }) => String(boundsOf(date, period)[0]));
  return [...groups.values()];
}

const meanOf = (values: readonly Value[]) =>
  values.reduce((sum, { value }) => sum + value, 0) / values.length;

function taken(values: readonly Value[], take: (typeof SAMPLINGS)[number]): number {
  const numbers = values.map(({ value }) => value);
  if (take === 'FIRST') return numbers[0]!;
  if (take === 'LAST') return numbers.at(-1)!;
  if (take === 'MEAN') return meanOf(values);
  return take === 'MIN' ? Math.min(...numbers) : Math.max(...numbers);
}

const [START, END] = RANGE;
const query = (selection: string) =>
  `{ fxRate(pair: "USDTRY") { history(start: "${START}", end: "${END}") { ${selection} } } }`;

type Answer<T> = { fxRate: { history: T } };

test('the point of a period is computed from its values, and dated by the last one', async () => {
  const { get, setValues } = await openWithValues();
  const cases = PERIODS.flatMap((every) => SAMPLINGS.map((take) => ({ every, take })));
  const all = cases
    .map((one) => `${one.every}_${one.take}: points(every: ${one.every}, take: ${one.take})`)
    .map((field) => `${field} { date value }`)
    .join(' ');
  const plain = async (values: Value[]) => {
    setValues(values);
    const { history } = (await get<Answer<Record<string, Value[]>>>(query(all))).fxRate;
    for (const { every, take } of cases) {
      const expected = groupsOf(values, every).map((group) => ({
        date: group.at(-1)!.date,
        value: expect.closeTo(taken(group, every === 'DAY' ? 'LAST' : take), 9) as number,
      }));
      expect(history[`${every}_${take}`]).toEqual(expected);
    }
  };
  await plain([]);
  await fc.assert(fc.asyncProperty(someValues, plain), { numRuns: NUM_RUNS });
});

test('candles have the first and last day of each period that lie in the range', async () => {
  const { get, setValues } = await openWithValues();
  const all = PERIODS.map((every) => `${every}: candles(every: ${every}) { ...C }`).join(' ');
  const text = `${query(`${all} mean byDefault: candles { ...C }`)} fragment C on Candle { start end open high low close }`;
  const candle = (group: Value[], every: Period) => {
    const [first, next] = boundsOf(group[0]!.date, every).map(String);
    const last = String(Temporal.PlainDate.from(next!).subtract({ days: 1 }));
    return {
      start: first! < START ? START : first,
      end: last > END ? END : last,
      open: taken(group, 'FIRST'),
      high: taken(group, 'MAX'),
      low: taken(group, 'MIN'),
      close: taken(group, 'LAST'),
    };
  };
  const plain = async (values: Value[]) => {
    setValues(values);
    const { history } = (await get<Answer<Record<string, unknown>>>(text)).fxRate;
    for (const every of PERIODS)
      expect(history[every]).toEqual(groupsOf(values, every).map((group) => candle(group, every)));
    expect(history['byDefault']).toEqual(history['WEEK']);
    expect(history['mean'] === null).toBe(values.length === 0);
    expect(Number(history['mean'])).toBeCloseTo(values.length > 0 ? meanOf(values) : 0, 9);
  };
  await plain([]);
  await fc.assert(fc.asyncProperty(someValues, plain), { numRuns: NUM_RUNS });
});

function shapeOf(values: readonly Value[], most: number): Value[] {
  if (most > 2) return largestTriangles(values, most);
  return [...(most === 2 ? values.slice(0, 1) : []), values.at(-1)!];
}

/** Largest triangle, three buckets, as in its author's implementation: by index, in one loop. */
function largestTriangles(data: readonly Value[], threshold: number): Value[] {
  const x = data.map(({ date }) => Date.parse(date) / 86_400_000);
  const y = data.map(({ value }) => value);
  const every = (data.length - 2) / (threshold - 2);
  const sampled = [data[0]!];
  let a = 0;
  for (let i = 0; i < threshold - 2; i += 1) {
    const from = Math.floor((i + 1) * every) + 1;
    const to = Math.min(Math.floor((i + 2) * every) + 1, data.length);
    let [avgX, avgY] = [0, 0];
    for (let j = from; j < to; j += 1) {
      avgX += x[j]!;
      avgY += y[j]!;
    }
    avgX /= to - from;
    avgY /= to - from;
    let [maxArea, next] = [-1, 0];
    for (let j = Math.floor(i * every) + 1; j < from; j += 1) {
      const area = Math.abs((x[a]! - avgX) * (y[j]! - y[a]!) - (x[a]! - x[j]!) * (avgY - y[a]!));
      if (area > maxArea) [maxArea, next] = [area, j];
    }
    sampled.push(data[next]!);
    a = next;
  }
  return [...sampled, data.at(-1)!];
}

test('samples keep the shape: largest triangle, three buckets', async () => {
  const { get, setValues } = await openWithValues();
  const counts = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 120 }));
  const plain = async (values: Value[], most: number) => {
    setValues(values);
    const found = await get<Answer<{ points: Value[]; all: Value[]; weeks: Value[] }>>(
      query(`points(maxPoints: ${most}) { date value } all: points { date value }
        weeks: points(every: WEEK, maxPoints: ${most}) { date }`),
    );
    const { points, all, weeks } = found.fxRate.history;
    expect(all).toEqual(values);
    expect(weeks).toHaveLength(Math.min(most, groupsOf(values, 'WEEK').length));
    expect(points).toEqual(values.length <= most ? values : shapeOf(values, most));
  };
  await fc.assert(fc.asyncProperty(someValues, counts, plain), { numRuns: NUM_RUNS });
});

const REFUSED = {
  message: 'maxPoints: must be at least 1',
  extensions: { code: 'BAD_USER_INPUT' },
};

test.each([0, -3])('maxPoints: %i is refused, and nothing is sent', async (most) => {
  const { ask, sandbox } = await openWithValues();
  for (const wrong of [`points(maxPoints: ${most}) { date }`, '...F']) {
    const fragment = `fragment F on TimeSeries { end points { date } chart: points(maxPoints: ${most}) { date } }`;
    const definition = wrong === '...F' ? fragment : '';
    const rate = await ask(query(wrong) + definition);
    expect([rate.data, rate.errors]).toMatchObject([{ fxRate: { history: null } }, [REFUSED]]);
    const series = await ask(
      `{ macroSeries(code: "TP.DK.USD.A") { observations { ${wrong} } } } ${definition}`,
    );
    expect([series.data, series.errors]).toMatchObject([
      { macroSeries: { observations: null } },
      [REFUSED],
    ]);
  }
  expect(sandbox.requests()).toEqual([]);
});

test('if points are refused, the rest is served without them', async () => {
  const { ask, sandbox } = await openWithValues();
  const wrong = 'history { points(maxPoints: 0) { date } }';
  const { data, errors } = await ask(
    `{ fxRate(pair: "USDTRY") { pair ${wrong} } fxRates(first: 2) { nodes { mid ${wrong} } } }`,
  );
  expect(data).toMatchObject({ fxRate: { pair: 'USDTRY', history: null } });
  expect(errors).toMatchObject([REFUSED, { ...REFUSED }]);
  expect(sandbox.requests()).toMatchObject([{ path: '/v1/fx/rates' }]);
});

test('variables and literals give the same points', async () => {
  const { get } = await openWithValues();
  const field = 'fxRate(pair: "USDTRY") { history(last: 200)';
  const literal = await get(
    `{ ${field} { points(every: MONTH, take: MEAN, maxPoints: 4) { date value } } } }`,
  );
  const withVariables = `query ($every: Period, $take: Take, $most: Int) { ${field} { points(every: $every, take: $take, maxPoints: $most) { date value } } } }`;
  expect(await get(withVariables, { every: 'MONTH', take: 'MEAN', most: 4 })).toEqual(literal);
});
