import * as fc from 'fast-check';

/** Mutated HTTP requests. Texts are Latin-1, a character for each byte. */

export interface FuzzedRequest {
  method: string;
  target: string;
  headers: readonly (readonly [string, string])[];
  body: string;
}

const OPERATIONS = [
  '{ __typename }',
  '{ fxRates(first: 2) { nodes { pair mid } totalCount } }',
  'query Q($p: CurrencyPair!) { fxRate(pair: $p) { buying history { points { value } } } }',
  '{ cryptoAssets(first: 3, filter: { symbols: ["BTC", "ETH"] }) { nodes { symbol price } } }',
  '{ calendarEvents(first: 2, filter: { importance: [HIGH] }) { edges { cursor node { id } } } }',
  'query A { usage { fx { usedThisMonth } } } query B { health { ok } }',
  '{ nodes(ids: ["FxRate:USDTRY", "CryptoAsset:BTC:USD"]) { id ... on FxRate { mid } } }',
  'fragment F on FxRate { mid ...G } fragment G on FxRate { ...F } { fxRate(pair: "EURTRY") { ...F } }',
  'subscription { nothing { mid } }',
  '{ __schema { types { name fields { name } } } }',
];

const anyText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('', '\0', '\ud800', '"""', '{'.repeat(300), '#', '\u2028', '...', '$', '@skip'),
);

/** A text with a piece of it replaced by something else. */
function mutated(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat(), fc.nat(12), anyText).map(([whole, at, length, other]) => {
    const start = whole.length === 0 ? 0 : at % whole.length;
    return whole.slice(0, start) + other + whole.slice(start + length);
  });
}

const operation = fc.constantFrom(...OPERATIONS);
const document = fc.oneof(
  { arbitrary: operation, weight: 4 },
  { arbitrary: mutated(operation), weight: 2 },
  { arbitrary: mutated(mutated(operation)), weight: 1 },
);

const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText);

const persisted = fc.record({
  persistedQuery: fc.record({
    version: fc.oneof(fc.constant(1), odd),
    sha256Hash: fc.oneof(fc.constant('a'.repeat(64)), odd),
  }),
});
const pair = fc.oneof({ arbitrary: fc.constantFrom('USDTRY', 'usd/try'), weight: 5 }, odd);

const NAMES = ['query', 'operationName', 'variables', 'extensions', 'documentId', 'id', 'other'];
const change = fc.oneof(
  fc.tuple(fc.constantFrom(...NAMES), odd),
  fc.tuple(fc.constant('extensions'), persisted),
  fc.tuple(fc.constant('operationName'), fc.constantFrom('Q', 'A', 'B', null)),
);
const changes = fc.oneof(
  { arbitrary: fc.constant([]), weight: 2 },
  { arbitrary: fc.array(change, { maxLength: 2 }), weight: 1 },
);

/** The parameters of a GraphQL request, some of them of a wrong type. */
export const parameters = fc
  .tuple(document, pair, changes)
  .map(([query, p, others]) => ({ query, variables: { p }, ...Object.fromEntries(others) }));

const bytes = (text: string) => Buffer.from(text).toString('latin1');

const jsonBody = parameters.map((value) => bytes(JSON.stringify(value)));
const formBody = document.map((query) => new URLSearchParams({ query }).toString());
const batchBody = fc.array(parameters, { maxLength: 3 }).map((all) => bytes(JSON.stringify(all)));
const nested = fc.nat(3000).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const deep = fc.nat(3000).map((depth) => JSON.stringify({ query: '{a'.repeat(depth) }));

const body = fc.oneof(
  { arbitrary: jsonBody, weight: 12 },
  { arbitrary: mutated(jsonBody).map(bytes), weight: 4 },
  { arbitrary: formBody, weight: 1 },
  { arbitrary: document.map(bytes), weight: 1 },
  { arbitrary: batchBody, weight: 1 },
  { arbitrary: fc.oneof(nested, deep), weight: 1 },
  {
    arbitrary: fc.uint8Array({ maxLength: 40 }).map((raw) => Buffer.from(raw).toString('latin1')),
    weight: 1,
  },
  { arbitrary: fc.constant(''), weight: 1 },
);

const token = fc.stringMatching(/^[A-Za-z-]{1,12}$/);
/** Text that may stand in a header without breaking the message. */
const headerText = fc.stringMatching(
  /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]{0,30}[\x21-\x7e\x80-\xff])?$/,
);

const JSON_TYPE = 'application/json';
const contentType = fc.oneof(
  { arbitrary: fc.constant(JSON_TYPE), weight: 8 },
  {
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'application/graphql+json',
      'application/graphql',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      '',
    ),
    weight: 3,
  },
  { arbitrary: headerText, weight: 1 },
);
const accept = fc.oneof(
  { arbitrary: fc.constant(JSON_TYPE), weight: 600 },
  {
    arbitrary: fc.constantFrom(
      '*/*',
      '',
      'application/graphql-response+json',
      'multipart/mixed',
      'application/json;q=0, */*;q=0.1',
    ),
    weight: 300,
  },
  { arbitrary: headerText, weight: 100 },
  // The Studio's page is not among the answers that are checked here.
  { arbitrary: fc.constant('text/html'), weight: 1 },
);
const others = fc.oneof(
  fc.tuple(
    fc.constantFrom('origin', 'referer'),
    fc.constantFrom('null', 'https://evil.example', 'x'),
  ),
  fc.tuple(
    fc.constant('sec-fetch-site'),
    fc.constantFrom('cross-site', 'same-origin', 'none', 'x'),
  ),
  fc.tuple(fc.constant('x-usage-dry-run'), fc.constantFrom('1', '0', 'true', 'yes', '', 'x')),
  fc.tuple(fc.constant('if-none-match'), fc.constantFrom('*', 'W/"x"', '"', ',,,')),
  fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'identity', 'br', 'x')),
  fc.tuple(fc.constant('access-control-request-method'), fc.constantFrom('POST', 'x')),
  fc.tuple(fc.constant('apollographql-client-name'), headerText),
  fc.tuple(fc.constant('apollo-require-preflight'), headerText),
  fc.tuple(fc.constant('x-forwarded-for'), headerText),
  fc.tuple(
    fc.constant('cookie'),
    fc.nat(3000).map((length) => 'c'.repeat(length + 1)),
  ),
  fc.tuple(
    token.map((name) => `x-${name}`),
    headerText,
  ),
) as fc.Arbitrary<[string, string]>;

const headers = fc
  .tuple(contentType, accept, fc.array(others, { maxLength: 3 }))
  .map(([type, accepted, more]): [string, string][] => [
    ['content-type', type],
    ['accept', accepted],
    ...more,
  ]);

const search = document.map((query) => `/graphql?${new URLSearchParams({ query })}`);
const path = fc.stringMatching(/^[\x21-\x22\x24-\x7e]{0,20}$/).map((rest) => `/${rest}`);
const oddTarget = fc.constantFrom(
  '/health',
  '/ready',
  '//',
  '/graphql/%',
  '/graphql/%ff%00/x',
  '/graphql?query=%',
  '/graphql?variables={&query={__typename}',
  '/graphql/../health',
  'http://other.example/graphql',
  'http://[::1/graphql',
  `/graphql?${'a=1&'.repeat(500)}`,
);
const target = fc.oneof(
  { arbitrary: fc.constant('/graphql'), weight: 8 },
  { arbitrary: search, weight: 3 },
  { arbitrary: oddTarget, weight: 2 },
  { arbitrary: path, weight: 1 },
);
const method = fc.oneof(
  { arbitrary: fc.constant('POST'), weight: 8 },
  { arbitrary: fc.constant('GET'), weight: 4 },
  {
    arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'QUERY', 'PROPFIND'),
    weight: 2,
  },
);

/** Requests with correct framing, whatever they contain. */
export const request: fc.Arbitrary<FuzzedRequest> = fc.record({ method, target, headers, body });
