import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../schema.ts';

/** The schema as text, sorted, so that the order of registration does not show in a diff. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** The file that holds the text. */
export const SCHEMA_FILE = new URL('../../schema.graphql', import.meta.url);

if (import.meta.main) writeFileSync(SCHEMA_FILE, schemaText());
