import type { Fault } from '../../src/sandbox/sandbox.ts';
import { sha256 } from '../../src/documents/ids.ts';

/** Operations that every door has to answer alike. */

/** What a request asks for, before a transport serializes it. */
export interface Asked {
  query?: string;
  documentId?: string;
  operationName?: string;
  variables?: unknown;
  extensions?: unknown;
  dry?: true;
}

export interface Case {
  what: string;
  /** Requests that are sent one after the other to the same gateway. */
  asks: readonly Asked[];
  /** Data of the last answer (undefined if nothing was executed), and the codes of its errors. */
  data?: unknown;
  codes?: readonly string[];
  /** Number of upstream requests in total. */
  requests?: number;
  env?: Record<string, string>;
  fault?: Fault;
}

const RATE = '{ fxRate(pair: "USDTRY") { pair } }';
const PAIR = { fxRate: { pair: 'USDTRY' } };
const BY_VARIABLE = 'query Rate($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
const THREE_DATASETS = `{ fxRate(pair: "USDTRY") { pair } macroCatalog(filter: { codes: ["TP.DK.USD.A"] }) { totalCount }
  cryptoAsset(symbol: "BTC") { symbol } }`;
const TWO_OPERATIONS = 'query A { a: __typename } query B { b: __typename }';

/** Listed in the manifest of every gateway of these tests. */
export const LISTED = 'query Listed($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
const documentId = sha256(LISTED);

const hashOnly = { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(RATE) } } };
const variables = { pair: 'USDTRY' };

export const CASES: readonly Case[] = [
  { what: 'a query', asks: [{ query: RATE }], data: PAIR, requests: 1 },
  {
    what: 'a query that was asked before',
    asks: [{ query: RATE }, { query: RATE }],
    data: PAIR,
    requests: 1,
  },
  { what: 'variables', asks: [{ query: BY_VARIABLE, variables }], data: PAIR, requests: 1 },
  {
    what: 'a wrong variable',
    asks: [{ query: BY_VARIABLE, variables: { pair: 5 } }],
    codes: ['BAD_USER_INPUT'],
  },
  { what: 'a missing variable', asks: [{ query: BY_VARIABLE }], codes: ['BAD_USER_INPUT'] },
  {
    what: 'variables that are a list',
    asks: [{ query: BY_VARIABLE, variables: ['USDTRY'] }],
    codes: ['BAD_REQUEST'],
  },
  {
    what: 'variables that are a number',
    asks: [{ query: BY_VARIABLE, variables: 5 }],
    codes: ['BAD_REQUEST'],
  },
  {
    what: 'variables that are null',
    asks: [{ query: RATE, variables: null }],
    data: PAIR,
    requests: 1,
  },
  {
    what: 'extensions that are a number',
    asks: [{ query: RATE, extensions: 5 }],
    codes: ['BAD_REQUEST'],
  },
  { what: 'a persisted id', asks: [{ documentId, variables }], data: PAIR, requests: 1 },
  {
    what: 'a persisted id with a wrong variable',
    asks: [{ documentId, variables: { pair: 5 } }],
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'an unknown id',
    asks: [{ documentId: '0'.repeat(64) }],
    codes: ['PERSISTED_QUERY_NOT_IN_LIST'],
  },
  {
    what: 'a hash that nobody has registered',
    asks: [hashOnly],
    codes: ['PERSISTED_QUERY_NOT_FOUND'],
  },
  { what: 'a hash with its text', asks: [{ query: RATE, ...hashOnly }], data: PAIR, requests: 1 },
  {
    what: 'a hash that was registered',
    asks: [{ query: RATE, ...hashOnly }, hashOnly],
    data: PAIR,
    requests: 1,
  },
  {
    what: 'a hash of another text',
    asks: [{ query: BY_VARIABLE, ...hashOnly }],
    codes: ['PERSISTED_QUERY_HASH_MISMATCH'],
  },
  {
    what: 'a wrong argument beside a right one',
    asks: [{ query: '{ wrong: fxRate(pair: "X") { pair } fxRate(pair: "USDTRY") { pair } }' }],
    data: { wrong: null, ...PAIR },
    codes: ['BAD_USER_INPUT'],
    requests: 1,
  },
  {
    what: 'an unknown field',
    asks: [{ query: '{ nothing }' }],
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
  { what: 'a syntax error', asks: [{ query: '{ fxRate(' }], codes: ['GRAPHQL_PARSE_FAILED'] },
  { what: 'an empty query', asks: [{ query: '' }], codes: ['BAD_REQUEST'] },
  { what: 'no query', asks: [{}], codes: ['BAD_REQUEST'] },
  {
    what: 'two operations without a name',
    asks: [{ query: TWO_OPERATIONS }],
    codes: ['OPERATION_RESOLUTION_FAILURE'],
  },
  {
    what: 'one of two operations',
    asks: [{ query: TWO_OPERATIONS, operationName: 'B' }],
    data: { b: 'Query' },
  },
  {
    what: 'an unknown operation name',
    asks: [{ query: TWO_OPERATIONS, operationName: 'C' }],
    codes: ['OPERATION_RESOLUTION_FAILURE'],
  },
  { what: 'a dry run', asks: [{ query: THREE_DATASETS, dry: true }], data: null },
  {
    what: 'a dry run of what is cached',
    asks: [{ query: RATE }, { query: RATE, dry: true }],
    data: null,
    requests: 1,
  },
  {
    what: 'more than the cap of upstream requests',
    asks: [{ query: THREE_DATASETS }],
    env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2' },
    data: { ...PAIR, macroCatalog: { totalCount: 1 }, cryptoAsset: null },
    codes: ['UPSTREAM_BUDGET_EXCEEDED'],
    requests: 2,
  },
  {
    what: 'an upstream that fails beside one that does not',
    asks: [{ query: THREE_DATASETS }],
    fault: { kind: 'status', status: 401, group: 'B' },
    data: { ...PAIR, macroCatalog: { totalCount: 1 }, cryptoAsset: null },
    codes: ['UPSTREAM_AUTHENTICATION'],
    requests: 3,
  },
  {
    what: '@skip and fragments',
    asks: [
      {
        query: `query Q($no: Boolean = true) { ...F other: fxRate(pair: "EURTRY") @skip(if: $no) { pair } }
          fragment F on Query { fxRate(pair: "USDTRY") { ... on FxRate { pair } mid @include(if: false) } }`,
      },
    ],
    data: PAIR,
    requests: 1,
  },
  {
    what: 'the field usage',
    asks: [{ query: RATE }, { query: '{ usage { fx { usedThisMonth limit } } }' }],
    data: { usage: { fx: { usedThisMonth: 1, limit: null } } },
    requests: 1,
  },
  {
    what: 'introspection',
    asks: [{ query: '{ __schema { queryType { name } } __type(name: "FxRate") { kind } }' }],
    data: { __schema: { queryType: { name: 'Query' } }, __type: { kind: 'OBJECT' } },
  },
];
