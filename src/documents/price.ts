import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from 'graphql';
import { isInputType, Kind } from 'graphql';
import { METERS, type Meter } from '../meters.ts';
import type { ListedOperation } from './manifest.ts';
import type { PriceOf } from './report.ts';

/** Values that stand for any other of their type: which one does not change the price. */
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
 * Runs an operation dry on a gateway that holds nothing: the most it can spend; undefined where that
 * cannot be told, as of a subscription or of what is refused.
 */
export type DryRun = (
  query: string,
  variables: object,
) => Promise<Record<Meter, number> | undefined>;

/** Prices operations for a reader. The least is nothing: everything may be fresh already. */
export function createPriceOf(schema: GraphQLSchema, today: string, dryRun: DryRun): PriceOf {
  const samples = { ...SAMPLES, Date: today, DateTime: `${today}T00:00:00Z` };
  return async ({ body }: ListedOperation) => {
    const most = await dryRun(body, variablesFor(body, schema, samples));
    if (!most) return 'no price';
    return METERS.map((meter) => `${meter} 0–${most[meter]}`).join('  ');
  };
}

/** A value for each variable that has to be given. */
function variablesFor(
  body: string,
  schema: GraphQLSchema,
  samples: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const operation = parse(body).definitions.find(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  );
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
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  return isInputObjectType(named) ? {} : samples[named.name];
}
