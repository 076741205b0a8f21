import { expect } from 'vitest';
import type { Bench } from '../harness.ts';

/** Queries for the last values, and what the upstream has. */

interface Point {
  date: string;
  value: number;
}
export interface Series {
  start: string;
  end: string;
  points: Point[];
}

/** Returns what the upstream itself would answer for all days up to `end`. */
export function allUpTo({ sandbox }: Bench, path: string, end: string): Point[] {
  const { status, body } = sandbox.answer('A', `${path}?start=1990-01-01&end=${end}`);
  expect(status).toBe(200);
  return (body as { data: Point[] }).data;
}

export const TODAY = '2026-11-20';
export const RATE = '/v1/fx/rates/USDTRY/history';
export const pathOf = (code: string) => `/v1/macro/series/${code}`;

export const history = (args: string) =>
  `{ fxRate(pair: "USDTRY") { series: history(${args}) { start end points { date value } } } }`;
export const observations = (code: string, args: string) =>
  `{ macroSeries(code: "${code}") { frequency series: observations(${args}) { start end points { date value } } } }`;

export async function seriesOf({ get }: Bench, query: string): Promise<Series> {
  const data = await get<Record<string, { series: Series }>>(query);
  return Object.values(data)[0]!.series;
}
