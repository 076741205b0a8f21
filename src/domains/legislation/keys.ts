import { z } from 'zod';
import { parseJson } from '../../json.ts';
import type { Day } from '../../time.ts';
import { LEGISLATION_TYPES, type LegislationType } from './records.ts';

/** The keys under which answers about legislation are cached, converted to text and back. */

/** The filters that only the upstream can apply. */
export interface Scope {
  institution: string | null;
  search: string | null;
}

/** A scope, and filters that the upstream applies only where the answer without them would come too late. */
export interface FilteredScope extends Scope {
  type?: string | null;
  topic?: string | null;
}

/** Whether it lets all changes pass. */
export const isUnfiltered = ({ institution, search, type, topic }: FilteredScope): boolean =>
  [institution, search, type ?? null, topic ?? null].every((filter) => filter === null);

/** What a client asks for: a day is null if it is not given, and an empty list lets everything pass. */
export interface Question extends Scope {
  start: Day | null;
  end: Day | null;
  types: readonly LegislationType[];
  topics: readonly string[];
}

/** A question in the parameters of the upstream; null omits the parameter. */
export interface ExactQuestion extends Scope {
  start: Day | null;
  end: Day | null;
  /** The upstream's word for the kind of instrument. */
  type: string | null;
  topic: string | null;
}

export const scopeKey = ({ institution, search, type = null, topic = null }: FilteredScope) =>
  JSON.stringify([institution, search, ...(type === null && topic === null ? [] : [type, topic])]);
export const exactKey = ({ start, end, type, topic, institution, search }: ExactQuestion) =>
  JSON.stringify([start, end, type, topic, institution, search]);

const text = z.string().nullable();
const day = z.int().nullable();
const scopeParts = z.union([z.tuple([text, text]), z.tuple([text, text, text, text])]);
const exactParts = z.tuple([day, day, text, text, text, text]);

export function parseScopeKey(key: string): FilteredScope | undefined {
  const { data } = scopeParts.safeParse(parseJson(key));
  if (!data) return undefined;
  const [institution, search, type = null, topic = null] = data;
  return { institution, search, type, topic };
}

export function parseExactKey(key: string): ExactQuestion | undefined {
  const { data } = exactParts.safeParse(parseJson(key));
  if (!data) return undefined;
  const [start, end, type, topic, institution, search] = data;
  return { start, end, type, topic, institution, search };
}

/** Returns the question without type and topic, and with as much of them as the upstream can filter by. */
export function exactQuestions({ types, topics, ...rest }: Question) {
  const [type] = types;
  const narrow = {
    type: types.length === 1 && type && type !== 'OTHER' ? LEGISLATION_TYPES[type] : null,
    topic: topics.length === 1 ? (topics[0] ?? null) : null,
  };
  return { unfiltered: { ...rest, type: null, topic: null }, narrow: { ...rest, ...narrow } };
}
