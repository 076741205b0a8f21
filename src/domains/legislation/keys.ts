import { z } from 'zod';
import { parseJson } from '../../json.ts';
import type { Day } from '../../time.ts';

/** The keys under which answers about legislation are cached, converted to text and back. */

/** The filters that only the upstream can apply. */
export interface Scope {
  institution: string | null;
  search: string | null;
}

/** A question in the parameters of the upstream; null omits the parameter. */
export interface ExactQuestion extends Scope {
  start: Day | null;
  end: Day | null;
  /** The upstream's word for the kind of instrument. */
  type: string | null;
  topic: string | null;
}

export const scopeKey = ({ institution, search }: Scope) => JSON.stringify([institution, search]);
export const exactKey = ({ start, end, type, topic, institution, search }: ExactQuestion) =>
  JSON.stringify([start, end, type, topic, institution, search]);

const text = z.string().nullable();
const day = z.int().nullable();
const scopeParts = z.tuple([text, text]);
const exactParts = z.tuple([day, day, text, text, text, text]);

export function parseScopeKey(key: string): Scope | undefined {
  const { data } = scopeParts.safeParse(parseJson(key));
  return data && { institution: data[0], search: data[1] };
}

export function parseExactKey(key: string): ExactQuestion | undefined {
  const { data } = exactParts.safeParse(parseJson(key));
  if (!data) return undefined;
  const [start, end, type, topic, institution, search] = data;
  return { start, end, type, topic, institution, search };
}
