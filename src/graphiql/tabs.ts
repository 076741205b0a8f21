import { Kind, parse, valueFromASTUntyped } from 'graphql';

/** What GraphiQL opens for an operation. */
export interface Tab {
  query: string;
  variables: string;
}

/** What a newcomer looks for, from left to right; further files come behind these. */
const ORDER = ['market-page', 'rates', 'rate-history', 'macro-series', 'calendar', 'crypto'];

/** A tab for each file, with the variables filled in. */
export function tabsOf(operations: Readonly<Record<string, string>>): Tab[] {
  return Object.keys(operations)
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => {
      const query = operations[name]!;
      return { query, variables: JSON.stringify(defaultsOf(query), null, 2) };
    });
}

function rank(file: string): number {
  const place = ORDER.indexOf(file.replace(/\.graphql$/, ''));
  return place < 0 ? ORDER.length : place;
}

/** Variables without a default are there as null, so that they can be seen and filled in. */
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
