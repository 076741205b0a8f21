import type { Draft } from './document.ts';
import { operationNamed, readDocument } from './operations.ts';

/** An operation as a link, and as code for other clients. */

export type ShareKind = 'link' | 'curl' | 'fetch' | 'apollo' | 'persisted';

export const SHARE_KINDS: readonly (readonly [ShareKind, string])[] = [
  ['link', 'Link'],
  ['curl', 'curl'],
  ['fetch', 'fetch'],
  ['apollo', 'Apollo'],
  ['persisted', 'By id'],
];

export interface Shared extends Draft {
  operationName: string | undefined;
}

export interface ShareOptions {
  /** Address of the endpoint, without a query. */
  url: string;
  /** Whether the gateway is asked with a key: it is never written out. */
  hasKey: boolean;
  /** SHA-256 of the query, in hexadecimal digits; undefined where the browser cannot tell. */
  hash: string | undefined;
}

export function shareAs(kind: ShareKind, shared: Shared, options: ShareOptions): string {
  return WRITE[kind](shared, options);
}

/** What a link to this page says: undefined where it is no such link. */
export function readLink(search: string): Shared | undefined {
  const parameters = new URLSearchParams(search);
  const query = parameters.get('query');
  if (query === null) return undefined;
  return {
    query,
    variables: parameters.get('variables') ?? '',
    operationName: parameters.get('operationName') ?? undefined,
  };
}

const isEmpty = (variables: string) => /^\s*(\{\s*\})?\s*$/.test(variables);
const compact = (variables: string): unknown =>
  isEmpty(variables) ? undefined : JSON.parse(variables);
/** For a shell, in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const KEY = 'authorization: Bearer $MARKETGRAPH_KEY';

const WRITE: Record<ShareKind, (shared: Shared, options: ShareOptions) => string> = {
  link({ query, variables, operationName }, { url }) {
    const parameters = new URLSearchParams({ query });
    if (!isEmpty(variables)) parameters.set('variables', JSON.stringify(JSON.parse(variables)));
    if (operationName) parameters.set('operationName', operationName);
    return `${url}?${String(parameters)}`;
  },
  curl({ query, variables, operationName }, { url, hasKey }) {
    const body = JSON.stringify({ query, variables: compact(variables), operationName });
    const key = hasKey ? ` \\\n  -H "${KEY}"` : '';
    return `curl -s ${quoted(url)} -H 'content-type: application/json'${key} \\\n  -d ${quoted(body)}`;
  },
  fetch({ query, variables, operationName }, { url, hasKey }) {
    const body = JSON.stringify({ query, variables: compact(variables), operationName }, null, 2);
    const key = hasKey ? ', authorization: `Bearer ${key}`' : '';
    return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json'${key} },
  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),
});
const { data, errors, extensions } = await response.json();`;
  },
  apollo({ query: text, variables, operationName }, { url, hasKey }) {
    // Apollo Client takes documents of one operation.
    const operation = operationNamed(readDocument(text) ?? [], operationName);
    const query = operation?.query ?? text;
    const hook = operation?.kind === 'subscription' ? 'useSubscription' : 'useQuery';
    const given = isEmpty(variables)
      ? ''
      : `, { variables: ${JSON.stringify(JSON.parse(variables))} }`;
    const key = hasKey ? ', headers: { authorization: `Bearer ${key}` }' : '';
    return `import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ${hook} } from '@apollo/client/react';

const client = new ApolloClient({
  link: new HttpLink({ uri: ${JSON.stringify(url)}${key} }),
  cache: new InMemoryCache(),
});

const DOCUMENT = gql\`
${query.trim().replaceAll('`', '\\`').replaceAll('${', '\\${')}
\`;

const { data, error } = ${hook}(DOCUMENT${given});`;
  },
  persisted({ variables, operationName }, { url, hasKey, hash }) {
    if (hash === undefined)
      return 'Browsers work out ids only for pages over HTTPS, or of this machine.';
    const parameters = new URLSearchParams({
      extensions: JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } }),
    });
    if (!isEmpty(variables)) parameters.set('variables', JSON.stringify(JSON.parse(variables)));
    if (operationName) parameters.set('operationName', operationName);
    const key = hasKey ? ` -H "${KEY}"` : '';
    return `# sha256:${hash}\ncurl -s ${quoted(`${url}?${String(parameters)}`)}${key}`;
  },
};
