import { Kind, parse, valueFromASTUntyped } from 'graphql';

/** The ready-made operations that the Studio lists. */

/** One operation, and its variables as JSON. */
export interface ReadyMade {
  query: string;
  variables: string;
}

/** File names, without extension, in the order in which newcomers look for them; all others follow. */
const ORDER = [
  'market-page',
  'rates',
  'rate-history',
  'rate-chart',
  'convert',
  'macro-series',
  'macro-last-values',
  'calendar',
  'crypto',
  'crypto-gains',
];

/** Each operation (text by file name) with its variables filled in. */
export function readyMadeOf(operations: Readonly<Record<string, string>>): ReadyMade[] {
  return Object.entries(operations)
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([, query]) => ({ query, variables: JSON.stringify(defaultsOf(query), null, 2) }));
}

function rank(file: string): number {
  const place = ORDER.indexOf(file.replace(/\.graphql$/, ''));
  return place < 0 ? ORDER.length : place;
}

/** Variables without a default are null, so that they can be seen and filled in. */
function defaultsOf(query: string): Record<string, unknown> {
  const [operation] = parse(query).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return {};
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue ? valueFromASTUntyped(defaultValue) : null,
    ]),
  );
}
