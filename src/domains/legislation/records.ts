import { z } from 'zod';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { nodeId } from '../../graph/ids.ts';
import { isInt, isObject, optional, recordId, textOfNumber, textOrNull } from '../../json.ts';
import { parseDay } from '../../time.ts';

/** Legislation changes (spec sections 2.5 and 4.2, Group B). */

/** The upstream's values for kinds of instruments, by the graph's names. */
export const LEGISLATION_TYPES = {
  LAW: 'kanun',
  REGULATION: 'yonetmelik',
  COMMUNIQUE: 'teblig',
  CIRCULAR: 'genelge',
} as const;

export const CHANGE_TYPES = {
  ADDITION: 'ekleme',
  AMENDMENT: 'degisiklik',
  REPEAL: 'yururlukten-kaldirma',
} as const;

export type LegislationType = keyof typeof LEGISLATION_TYPES | 'OTHER';
export type LegislationChangeType = keyof typeof CHANGE_TYPES | 'OTHER';

const typeByCode = byCode(LEGISLATION_TYPES);
const changeTypeByCode = byCode(CHANGE_TYPES);

function byCode<Name extends string>(codes: Record<Name, string>): ReadonlyMap<string, Name> {
  const names = Object.keys(codes) as Name[];
  return new Map(names.map((name) => [codes[name], name]));
}

const date = z.string().refine((value) => dayOf(value) !== undefined, 'not a date');

/** Section 2.5. */
const legislationChange = z.object({
  id: recordId,
  publishedAt: date,
  effectiveDate: optional,
  type: z.string(),
  title: z.string(),
  parentLaw: optional,
  institution: optional,
  topics: optional,
  changeType: z.string(),
  affectedArticles: optional,
  summary: optional,
  diff: optional,
  gazetteNumber: optional,
  sourceUrl: optional,
});

export type LegislationRecord = z.infer<typeof legislationChange>;

export type LegislationChangeShape = ReturnType<typeof changeOf>;

const dateOf = (value: string) => value.slice(0, 10);
const dayOf = (value: string) => parseDay(dateOf(value));

/** Converts a record to the shape that the graph serves. Kinds that the spec does not list become OTHER. */
export function changeOf(change: LegislationRecord) {
  const { effectiveDate, type, changeType, gazetteNumber } = change;
  const id = String(change.id);
  const publishedAt = dateOf(change.publishedAt);
  return {
    id: nodeId('LegislationChange', publishedAt, id),
    recordId: id,
    day: parseDay(publishedAt) ?? 0,
    publishedAt,
    effectiveDate: dateOrNull(effectiveDate),
    type: typeByCode.get(type.toLowerCase()) ?? ('OTHER' as const),
    typeCode: type,
    title: change.title,
    parentLaw: parentLawOf(change.parentLaw),
    institution: textOrNull(change.institution),
    topics: textsIn(change.topics),
    changeType: changeTypeByCode.get(changeType.toLowerCase()) ?? ('OTHER' as const),
    changeTypeCode: changeType,
    affectedArticles: textsIn(change.affectedArticles),
    summary: textOrNull(change.summary),
    diff: diffOf(change.diff),
    gazetteNumber: isInt(gazetteNumber) ? gazetteNumber : null,
    sourceUrl: textOrNull(change.sourceUrl),
  };
}

/** Returns a date, null if the value is none. Compares with undefined, since 1970-01-01 is day 0 and a valid date. */
function dateOrNull(value: unknown): string | null {
  const text = textOrNull(value) ?? '';
  return dayOf(text) === undefined ? null : dateOf(text);
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((one) => textOfNumber(one) ?? []) : [];

function diffOf(diff: unknown) {
  if (!isObject(diff)) return null;
  return { before: textOrNull(diff['before']), after: textOrNull(diff['after']) };
}

/** Reads the parent law. If it has no number, the upstream gives a dash of any kind in its place. */
function parentLawOf(law: unknown) {
  if (!isObject(law)) return null;
  const [name, number] = [textOrNull(law['name']), textOfNumber(law['number'])];
  return name ? { name, number: /^\s*[-‐-―]\s*$/.test(number ?? '') ? null : number } : null;
}

/** GET /legislation/changes: one credit whatever the range. */
export const changesEndpoint: Endpoint<LegislationRecord> = {
  name: 'legislation',
  route: '/legislation/changes',
  source: 'legislation',
  group: 'B',
  meter: 'credits',
  record: z.compile(legislationChange),
  label: 'id',
  statesTotal: true,
  emptyOn404: true,
};
