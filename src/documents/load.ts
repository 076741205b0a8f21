import { setImmediate } from 'node:timers/promises';
import type { GraphQLError, GraphQLSchema } from 'graphql';
import { checkDocument } from './check.ts';
import { type FoundOperation, type FoundProblem, readOperations } from './files.ts';
import { type Index, indexOperations } from './by-id.ts';
import { operationsOf } from './selections.ts';

/** The result of checking a listed text. */
interface Check {
  /** The name of its operation. */
  name?: string | undefined;
  /** Why it cannot be served; undefined if it can. */
  problem?: string;
}

/** What is in all files together, checked against the schema. */
export interface Loaded {
  operations: FoundOperation[];
  index: Index;
  /** One line each; if there is one, none of the operations may be served. */
  problems: string[];
  /** Whether all files could be read, whatever is in them. */
  isRead: boolean;
  /** The check of each text. */
  checks: ReadonlyMap<string, Check>;
}

/** How long checking goes on at a time, in milliseconds: requests are served in between. */
const MAX_CHECK_MS = 10;

/** Reads and checks all files. `known`: the checks of an earlier load, so that no text is checked twice. */
export async function loadDocuments(
  paths: readonly string[],
  schema: GraphQLSchema,
  known?: ReadonlyMap<string, Check>,
): Promise<Loaded> {
  const found = await Promise.all(paths.map(readOperations));
  const asWritten = found.flatMap((one) => one.operations);
  const checks = await checkAll(asWritten, schema, known);
  const operations = asWritten.map((one) => ({
    ...one,
    name: one.name ?? checks.get(one.body)?.name,
  }));
  const { index, collisions } = indexOperations(operations);
  const all = [
    ...found.flatMap((one) => one.problems),
    ...problemsOf(operations, checks),
    ...collisions.map(problemOfCollision),
  ];
  const isRead = found.every((one) => one.isRead);
  return { operations, index, problems: all.map(lineOf), isRead, checks };
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
    checks.set(body, known?.get(body) ?? checkListed(schema, body));
    if (performance.now() - since < MAX_CHECK_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return checks;
}

/** Checks a listed text, which must hold exactly one operation. */
function checkListed(schema: GraphQLSchema, text: string): Check {
  const { document, errors } = checkDocument(schema, text, true);
  const [error] = errors;
  if (!document) return { problem: error ? reasonOf(error) : 'is not a GraphQL document' };
  const operations = operationsOf(document);
  const name = operations[0]?.name?.value;
  if (operations.length !== 1)
    return {
      name,
      problem: `must contain exactly one operation, but has ${operations.length || 'none'}`,
    };
  return { name, ...(error && { problem: reasonOf(error) }) };
}

function reasonOf({ message, locations }: GraphQLError): string {
  const at = locations?.[0];
  return at ? `${message} (line ${at.line}, column ${at.column})` : message;
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

function problemOfCollision({ file, name, id }: FoundOperation): FoundProblem {
  return { file, operation: name ?? id, reason: `its id ${id} stands for another text too` };
}

function lineOf({ file, operation, reason }: FoundProblem): string {
  const line = operation ? `${file}: operation ${operation}: ${reason}` : `${file}: ${reason}`;
  return line.replaceAll(/\s+/g, ' ');
}
