import type { Draft } from './document.ts';
import { operationIn } from './operations.ts';
import * as code from './share-code.ts';

/** An operation as a link, and as code for other clients. */

/** One way to share an operation. */
export interface Way {
  name: string;
  /** Throws if the variables are not JSON. */
  write(shared: Draft, options: code.ShareOptions): string;
}

export const LINK: Way = { name: 'Link', write: linkTo };
/** Works once the gateway has been told the text that belongs to the id. */
export const BY_ID: Way = { name: 'By id', write: code.curlById };

const FOR_ANSWERS: readonly Way[] = [
  LINK,
  { name: 'curl', write: code.curl },
  { name: 'fetch', write: code.fetching },
  { name: 'Apollo', write: code.apollo },
  BY_ID,
];

/** Not by id: the gateway is told the text of an id by a dry run, and live updates have none. */
const FOR_LIVE_UPDATES: readonly Way[] = [
  LINK,
  { name: 'curl', write: code.liveCurl },
  { name: 'graphql-sse', write: code.graphqlSse },
  { name: 'Apollo', write: code.liveApollo },
];

export const waysToShare = (shared: Draft): readonly Way[] =>
  operationIn(shared)?.kind === 'subscription' ? FOR_LIVE_UPDATES : FOR_ANSWERS;

function linkTo(shared: Draft, { url }: code.ShareOptions): string {
  return `${url}?${String(new URLSearchParams({ query: shared.query, ...code.inAddress(shared) }))}`;
}

/** Reads the operation out of a link to this page; undefined if the link contains none. */
export function readLink(search: string): Draft | undefined {
  const parameters = new URLSearchParams(search);
  const query = parameters.get('query');
  if (query === null) return undefined;
  return {
    query,
    variables: parameters.get('variables') ?? '',
    operationName: parameters.get('operationName') ?? undefined,
  };
}
