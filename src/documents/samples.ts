import {
  type DocumentNode,
  getNamedType,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  parse,
  typeFromAST,
  visit,
} from 'graphql';
import { operationsOf } from './selections.ts';

/** Sample variables for an operation: what it costs depends on them. */

/** Different values, since the same question costs nothing more if it is asked twice. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  CurrencyPair: ['USDTRY', 'EURTRY', 'GBPTRY', 'EURUSD', 'GBPUSD'],
  CurrencyCode: ['USD', 'TRY', 'EUR', 'GBP', 'CHF'],
  CountryCode: ['TR', 'US', 'DE', 'GB', 'JP'],
  String: ['BTC', 'ETH', 'SOL', 'XRP', 'ADA'],
  Int: [10],
  Float: [1],
};

/** An id of each type that `node` finds; whether there is such an object makes no difference. */
const idsOn = (day: string) => [
  'FxRate:USDTRY',
  'MacroSeries:TP.DK.USD.A',
  `LegislationChange:${day}:1`,
  `CalendarEvent:${day}:1`,
  'CryptoAsset:BTC:USD::',
];

export type SampleVariables = Readonly<Record<string, unknown>>;

/**
 * Returns sets of variables: for each choice of optional variables at most twice as many as the type with the most
 * samples has. They cover each sample of each type (successive variables of a type differ, lists hold all samples), all
 * Booleans true and all false, and optional variables left out, set, and set only if they are of one type, since some
 * exclude each other (`start` and `last`). Not every combination: two ids are never of the same type, and Booleans never
 * differ.
 */
export function sampleVariables(
  body: string,
  schema: GraphQLSchema,
  today: string,
): SampleVariables[] {
  const variables = variablesOf(parse(body), schema);
  const samples = { ...SAMPLES, ID: idsOn(today), Date: [today] };
  // Each sample of a type comes first in one turn.
  const turns = Math.max(...Object.values(samples).map(({ length }) => length));
  const sets = new Map<string, SampleVariables>();
  for (const { isChosen, isWhole } of choicesOf(variables))
    for (const boolean of [true, false])
      for (let turn = 0; turn < turns; turn += 1) {
        const sampleOf = createSampler({ ...samples, Boolean: [boolean] }, turn, isWhole);
        const chosen = variables.filter((one) => one.isRequired || isChosen(one));
        const set = Object.fromEntries(
          chosen.map(({ name, type, isCursor }) => [name, isCursor ? NO_CURSOR : sampleOf(type)]),
        );
        sets.set(JSON.stringify(set), set);
      }
  return [...sets.values()];
}

/** Counts as none. Any other text that no answer contained is refused as a cursor. */
const NO_CURSOR = '';

interface Variable {
  name: string;
  type: GraphQLInputType;
  isRequired: boolean;
  /** Whether it says where a page begins or ends. */
  isCursor: boolean;
}

function variablesOf(document: DocumentNode, schema: GraphQLSchema): Variable[] {
  const cursors = new Set<string>();
  visit(document, {
    Argument({ name, value }) {
      if (value.kind === Kind.VARIABLE && ['after', 'before'].includes(name.value))
        cursors.add(value.name.value);
    },
  });
  const [operation] = operationsOf(document);
  return (operation?.variableDefinitions ?? []).flatMap((definition) => {
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) return [];
    const name = definition.variable.name.value;
    const isRequired = isNonNullType(type) && !definition.defaultValue;
    return [{ name, type, isRequired, isCursor: cursors.has(name) }];
  });
}

interface Choice {
  /** Whether an optional variable is set. */
  isChosen(variable: Variable): boolean;
  /** Whether input objects have their optional fields. */
  isWhole: boolean;
}

function choicesOf(variables: readonly Variable[]): Choice[] {
  const optional = variables.filter(({ isRequired }) => !isRequired);
  const types = new Set(optional.map(({ type }) => getNamedType(type)));
  return [
    { isChosen: () => false, isWhole: false },
    { isChosen: () => true, isWhole: true },
    ...[...types].map((only) => ({
      isChosen: ({ type }: Variable) => getNamedType(type) === only,
      isWhole: true,
    })),
  ];
}

/** Returns a function that gives the next sample of a type, beginning with that of the turn. */
function createSampler(
  samples: Readonly<Record<string, readonly unknown[]>>,
  turn: number,
  isWhole: boolean,
): (type: GraphQLInputType) => unknown {
  const next = new Map<string, number>();

  function allOf(type: GraphQLScalarType | GraphQLEnumType): readonly unknown[] {
    if (!isEnumType(type)) return samples[type.name] ?? [];
    return type.getValues().map(({ name }) => name);
  }

  function sampleOf(type: GraphQLInputType): unknown {
    if (isNonNullType(type)) return sampleOf(type.ofType);
    if (isListType(type)) return listOf(getNullableType(type.ofType));
    if (isInputObjectType(type)) {
      const filled = Object.values(type.getFields()).filter(isFilled);
      return Object.fromEntries(filled.map((field) => [field.name, sampleOf(field.type)]));
    }
    const place = next.get(type.name) ?? turn;
    next.set(type.name, place + 1);
    const all = allOf(type);
    return all[place % all.length];
  }

  function listOf(item: GraphQLInputType): unknown[] {
    if (isNonNullType(item) || isListType(item) || isInputObjectType(item)) return [sampleOf(item)];
    return [...allOf(item)];
  }

  /** An optional field that is an object itself stays empty: objects could nest without end. */
  function isFilled(field: GraphQLInputField): boolean {
    if (isRequiredInputField(field)) return true;
    return isWhole && !isInputObjectType(getNamedType(field.type));
  }

  return sampleOf;
}
