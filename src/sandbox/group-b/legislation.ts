import type { LawType } from '../lists/laws.ts';
import type { EndpointRequest } from '../endpoint.ts';
import { readChoice, readRange, readText } from '../parameters.ts';
import { ApiError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { daysWhere } from '../time.ts';
import type { Change } from './legislation-records.ts';

/** The legislation endpoint of Group B: filters and the page size. */

const TYPES: readonly LawType[] = ['kanun', 'yonetmelik', 'teblig', 'genelge'];

/** Not in the spec: how far back the archive reaches (here two years), and the default range (here all of it). */
const ARCHIVE_DAYS = 731;

const lower = (text: string | null) => text?.toLocaleLowerCase('tr') ?? null;

/** Not in the spec: what an unknown institution or topic gives; here it matches nothing. */
function createFilter(query: URLSearchParams): (change: Change) => boolean {
  const type = readChoice(query, 'type', TYPES);
  const topic = readText(query, 'topic')?.toLowerCase() ?? null;
  const institution = readText(query, 'institution')?.toLowerCase() ?? null;
  const text = lower(readText(query, 'q'));
  return ({ record, institutionSlug, text: whole }) =>
    (type === null || record.type === type) &&
    (topic === null || record.topics.includes(topic)) &&
    (institution === null || institutionSlug === institution) &&
    (text === null || whole.includes(text));
}

/** GET /legislation/changes, newest first. `total` counts all matches, including those that the page leaves out. */
export function createLegislationChanges(
  settings: Settings,
  publishedOn: (day: number) => readonly Change[],
) {
  return ({ query, today }: EndpointRequest): object => {
    const first = today - ARCHIVE_DAYS;
    const range = readRange(query, { start: first, end: today });
    const keep = createFilter(query);
    const days = daysWhere(Math.max(range.start, first), Math.min(range.end, today), () => true);
    const found = days.toReversed().flatMap((day) => publishedOn(day).filter(keep));
    if (found.length === 0) throw new ApiError('no_data', 'No change matches the query');
    const shown = found.slice(0, settings.legislationPageSize ?? found.length);
    return { total: found.length, data: shown.map(({ record }) => record) };
  };
}
