import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { type Check, checkDocument } from './check.ts';
import { type FoundOperation, type FoundProblem, readPersisted } from './files.ts';
import { type Index, indexOperations } from './by-id.ts';

/** What is in all files together, checked against the schema. */
export interface Loaded {
  operations: FoundOperation[];
  index: Index;
  /** One line each; where there is one, nothing of this is to be served. */
  problems: string[];
  /** By text. */
  checks: ReadonlyMap<string, Check>;
}

/** Checking goes on for so long before others have their turn. */
const TURN_MS = 10;

/** `known` are the checks of an earlier load: what has not changed is not checked again. */
export async function loadDocuments(
  paths: readonly string[],
  schema: GraphQLSchema,
  known?: ReadonlyMap<string, Check>,
): Promise<Loaded> {
  const found = await Promise.all(paths.map(readPersisted));
  const unnamed = found.flatMap((one) => one.operations);
  const checks = await checkAll(unnamed, schema, known);
  const operations = unnamed.map((one) => ({
    ...one,
    name: one.name ?? checks.get(one.body)?.name,
  }));
  const { index, problems } = indexOperations(operations);
  const all = [
    ...found.flatMap((one) => one.problems),
    ...problemsOf(operations, checks),
    ...problems,
  ];
  return { operations, index, problems: all.map(lineOf), checks };
}

async function checkAll(
  operations: readonly FoundOperation[],
  schema: GraphQLSchema,
  known?: ReadonlyMap<string, Check>,
): Promise<Map<string, Check>> {
  const checks = new Map<string, Check>();
  let since = performance.now();
  for (const { body } of operations) {
    if (checks.has(body)) continue;
    checks.set(body, known?.get(body) ?? checkDocument(schema, body));
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return checks;
}

function problemsOf(
  operations: readonly FoundOperation[],
  checks: ReadonlyMap<string, Check>,
): FoundProblem[] {
  return operations.flatMap(({ file, name, id, body }) => {
    const reason = checks.get(body)?.problem;
    return reason === undefined ? [] : [{ file, operation: name ?? id, reason }];
  });
}

function lineOf({ file, operation, reason }: FoundProblem): string {
  const line = operation ? `${file}: operation ${operation}: ${reason}` : `${file}: ${reason}`;
  return line.replaceAll(/\s+/g, ' ');
}
