import { type Bench, open, timeoutFor } from '../harness.ts';

/** Questions about ranges whose answer without filters does not come in time. */

export const calendar = (filter: string, page = '') =>
  `calendarEvents(filter: { ${filter} }${page}) { totalCount nodes { recordId } pageInfo { endCursor } }`;
const legislation = (filter: string, page = '') =>
  `legislationChanges(filter: { ${filter} }${page}) { totalCount nodes { recordId } pageInfo { endCursor } }`;

export const CALENDAR = {
  field: calendar,
  range: 'start: "2026-10-21", end: "2026-12-20"',
  manyDays: 'start: "2026-10-28", end: "2026-12-18"',
  fewDays: 'start: "2026-11-20", end: "2026-11-27"',
  filter: 'countries: ["TR"]',
  others: ['countries: ["US", "DE"]', 'importance: [HIGH]', 'currencies: ["EUR"], released: true'],
  path: '/calendar/events?start=2026-10-21&end=2026-12-20&countries=TR',
};
export const LEGISLATION = {
  field: legislation,
  range: 'start: "2026-08-22", end: "2026-11-20"',
  manyDays: 'start: "2026-09-01", end: "2026-11-20"',
  fewDays: 'start: "2026-11-18", end: "2026-11-20"',
  filter: 'topics: ["tax"]',
  others: ['types: [LAW]', 'types: [LAW], topics: ["tax"]', 'topics: ["zoning"]'],
  path: '/legislation/changes?start=2026-08-22&end=2026-11-20&topic=tax',
};

/** Whether a request lets the upstream filter. */
export const isFiltered = (path: string) =>
  /[?&](countries|importance|currency|type|topic)=/.test(path);

/** Makes answers without filters arrive too slowly, if they are about at least as many days. */
export function slowDown({ sandbox }: Bench, days = 0): void {
  const isLate = (path: string) => {
    const { start, end } = Object.fromEntries(new URL(path, 'http://upstream').searchParams);
    return !isFiltered(path) && (Date.parse(end!) - Date.parse(start!)) / 86_400_000 >= days;
  };
  sandbox.fault({ kind: 'slow', bytesPerSecond: 8000, group: 'B', path: isLate });
}

/** The pause after a failure is over by then. */
export const PAUSE_MS = 60_000;

export const openLate = async (days?: number) => {
  const bench = await open({ env: timeoutFor('hang') });
  slowDown(bench, days);
  return bench;
};

export const lastPath = ({ sandbox }: Bench) => sandbox.requests().at(-1)?.path;
