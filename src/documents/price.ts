import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
} from 'graphql';
import { METERS, type Meter } from '../meters.ts';
import type { ListedOperation } from './manifest.ts';
import type { DescribePrice } from './report.ts';
import { operationsOf } from './selections.ts';

/** A sample value for each scalar: the price does not depend on which one it is. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  CurrencyPair: 'USDTRY',
  CurrencyCode: 'USD',
  CountryCode: 'TR',
  ID: 'FxRate:USDTRY',
  String: 'BTC',
  Int: 10,
  Float: 1,
  Boolean: true,
};

/**
 * Dry-runs an operation on a gateway with an empty cache, and resolves with the most that it can spend;
 * undefined if that is not known, as for a subscription or an operation that is refused.
 */
export type DryRun = (
  query: string,
  variables: object,
) => Promise<Record<Meter, number> | undefined>;

/** Prices operations by dry runs with sample variables. The least is 0: everything may be cached. */
export function createDescribePrice(
  schema: GraphQLSchema,
  today: string,
  dryRun: DryRun,
): DescribePrice {
  const samples = { ...SAMPLES, Date: today, DateTime: `${today}T00:00:00Z` };
  return async ({ body }: ListedOperation) => {
    const most = await dryRun(body, variablesFor(body, schema, samples));
    if (!most) return 'no price';
    return METERS.map((meter) => `${meter} 0–${most[meter]}`).join('  ');
  };
}

/** Returns a value for each variable that is required. */
function variablesFor(
  body: string,
  schema: GraphQLSchema,
  samples: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const [operation] = operationsOf(parse(body));
  const needed = (operation?.variableDefinitions ?? []).filter(
    ({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue,
  );
  return Object.fromEntries(
    needed.map(({ variable, type }) => {
      const input = typeFromAST(schema, type);
      return [variable.name.value, isInputType(input) ? sampleOf(input, samples) : null];
    }),
  );
}

function sampleOf(type: GraphQLInputType, samples: Readonly<Record<string, unknown>>): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, samples);
  if (isListType(type)) return [sampleOf(type.ofType, samples)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  return isInputObjectType(type) ? {} : samples[type.name];
}
