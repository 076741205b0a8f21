import { z } from 'zod';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { nodeId } from '../../graph/node.ts';
import { parseDay } from '../../time.ts';

/** Legislation changes (spec sections 2.5 and 4.2, Group B). */

/** The upstream's words for the kinds of instruments, by the graph's names. */
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

const text = z.string().nullish().default(null);
const words = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const date = z
  .string()
  .transform((value) => value.slice(0, 10))
  .refine((value) => parseDay(value) !== undefined, 'not a date');

/** A placeholder dash stands where a parent law has no number. */
const parentLaw = z.object({ name: z.string(), number: text }).transform(({ name, number }) => ({
  name,
  number: /^[-‐-―]$/.test(number ?? '') ? null : number,
}));

/** Section 2.5. A kind of instrument or change that the spec does not name is OTHER. */
const legislationChange = z
  .object({
    id: z.string().min(1),
    publishedAt: date,
    effectiveDate: date.nullish(),
    type: z.string(),
    title: z.string(),
    parentLaw: parentLaw.nullish().default(null),
    institution: text,
    topics: words,
    changeType: z.string(),
    affectedArticles: words,
    summary: text,
    diff: z.object({ before: text, after: text }).nullish().default(null),
    gazetteNumber: z.int32().nullish().default(null),
    sourceUrl: text,
  })
  .transform(({ id, publishedAt, effectiveDate, type, changeType, ...rest }) => ({
    ...rest,
    id: nodeId('LegislationChange', publishedAt, id),
    recordId: id,
    day: parseDay(publishedAt) ?? 0,
    publishedAt,
    effectiveDate: effectiveDate ?? null,
    type: typeByCode.get(type) ?? ('OTHER' as const),
    typeCode: type,
    changeType: changeTypeByCode.get(changeType) ?? ('OTHER' as const),
    changeTypeCode: changeType,
  }));

export type LegislationChangeShape = z.infer<typeof legislationChange>;

/** GET /legislation/changes: one credit whatever the range. */
export const changesEndpoint: Endpoint<LegislationChangeShape> = {
  name: 'legislation',
  source: 'legislation',
  group: 'B',
  meter: 'credits',
  record: z.compile(legislationChange),
  label: 'id',
  emptyOn404: true,
};
