import type { Draft } from './document.ts';
import { operationIn } from './operations.ts';

/** An operation as code for other clients. All functions throw if the variables are not JSON. */

export interface ShareOptions {
  /** Address of the endpoint, without a query. */
  url: string;
  /** Whether requests carry a key; the key itself is never written out. */
  hasKey: boolean;
  /** SHA-256 of the query, in hexadecimal digits; undefined if the browser cannot compute it. */
  hash: string | undefined;
}

const isEmpty = (variables: string) => /^\s*(\{\s*\})?\s*$/.test(variables);
const valuesOf = ({ variables }: Draft): unknown =>
  isEmpty(variables) ? undefined : JSON.parse(variables);

/** The request body of GraphQL over HTTP. */
const bodyOf = (shared: Draft) => ({
  query: shared.query,
  variables: valuesOf(shared),
  operationName: shared.operationName,
});

/** The parameters of an address beside the query or its id. */
export function inAddress(shared: Draft): Record<string, string> {
  const variables = valuesOf(shared);
  return {
    ...(variables !== undefined && { variables: JSON.stringify(variables) }),
    ...(shared.operationName && { operationName: shared.operationName }),
  };
}

/** Quotes a text for a shell, with single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const KEY_FOR_SHELL = '-H "authorization: Bearer $MARKETGRAPH_KEY"';
const KEY = 'authorization: `Bearer ${key}`';

export const curl = curlWith('-s', '');
/** Prints each event as it comes. */
export const liveCurl = curlWith('-sN', " -H 'accept: text/event-stream'");

function curlWith(options: string, headers: string) {
  return (shared: Draft, { url, hasKey }: ShareOptions) => {
    const key = hasKey ? ` \\\n  ${KEY_FOR_SHELL}` : '';
    const body = quoted(JSON.stringify(bodyOf(shared)));
    return `curl ${options} ${quoted(url)} -H 'content-type: application/json'${headers}${key} \\\n  -d ${body}`;
  };
}

export function curlById(shared: Draft, { url, hasKey, hash }: ShareOptions): string {
  if (hash === undefined)
    return 'Browsers compute ids only on pages loaded over HTTPS or from this machine.';
  const persistedQuery = { version: 1, sha256Hash: hash };
  const parameters = { extensions: JSON.stringify({ persistedQuery }), ...inAddress(shared) };
  const key = hasKey ? ` ${KEY_FOR_SHELL}` : '';
  return `# sha256:${hash}\ncurl -s ${quoted(`${url}?${String(new URLSearchParams(parameters))}`)}${key}`;
}

/** JSON, indented to stand within code. */
const indented = (value: unknown) => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');

export function fetching(shared: Draft, { url, hasKey }: ShareOptions): string {
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${hasKey ? `, ${KEY}` : ''} },
  body: JSON.stringify(${indented(bodyOf(shared))}),
});
const { data, errors, extensions } = await response.json();`;
}

export function graphqlSse(shared: Draft, { url, hasKey }: ShareOptions): string {
  const key = hasKey ? `, headers: { ${KEY} }` : '';
  return `import { createClient } from 'graphql-sse';

const client = createClient({ url: ${JSON.stringify(url)}${key} });
const updates = client.iterate(
  ${indented(bodyOf(shared))},
);
for await (const { data, errors } of updates) console.log(data ?? errors);`;
}

export function apollo(shared: Draft, { url, hasKey }: ShareOptions): string {
  const key = hasKey ? `, headers: { ${KEY} }` : '';
  return `import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { useQuery } from '@apollo/client/react';

const client = new ApolloClient({
  link: new HttpLink({ uri: ${JSON.stringify(url)}${key} }),
  cache: new InMemoryCache(),
});

${documentOf(shared)}

const { data, error } = useQuery(DOCUMENT${optionsOf(shared)});`;
}

/** Apollo Client gets live updates over a WebSocket. */
export function liveApollo(shared: Draft, { url, hasKey }: ShareOptions): string {
  const key = hasKey ? `, connectionParams: { ${KEY} }` : '';
  const socket = JSON.stringify(url.replace(/^http/, 'ws'));
  return `import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { useSubscription } from '@apollo/client/react';
import { createClient } from 'graphql-ws';

const client = new ApolloClient({
  link: new GraphQLWsLink(createClient({ url: ${socket}${key} })),
  cache: new InMemoryCache(),
});

${documentOf(shared)}

const { data, error } = useSubscription(DOCUMENT${optionsOf(shared)});`;
}

/** Apollo Client accepts only documents with a single operation. */
function documentOf(shared: Draft): string {
  const query = operationIn(shared)?.query ?? shared.query;
  const escaped = query.trim().replaceAll(/[\\`]|\$\{/g, String.raw`\$&`);
  return `const DOCUMENT = gql\`\n${escaped}\n\`;`;
}

/** The client is among them, since without it the hooks look for a provider that the code does not have. */
function optionsOf(shared: Draft): string {
  const variables = valuesOf(shared);
  return variables === undefined
    ? ', { client }'
    : `, { client, variables: ${JSON.stringify(variables)} }`;
}
