import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { INVALID_JSON } from './bodies.ts';

/**
 * The status codes of GraphQL over HTTP's draft of August 2026: 400 only where JSON or the document
 * cannot be read, 422 for what can be read but not be executed. Only where a 400 would be sent.
 */
export function useDraftStatuses(): Plugin {
  const readable = new WeakSet<Request>();
  return {
    onResultProcess({ request, result }) {
      if (!Array.isArray(result) && !(Symbol.asyncIterator in result) && isReadable(result))
        readable.add(request);
    },
    onResponse({ request, response, setResponse, fetchAPI }) {
      if (response.status !== 400 || !readable.has(request)) return;
      const { headers } = response;
      setResponse(new fetchAPI.Response(response.body, { status: 422, headers }));
    },
  };
}

function isReadable({ errors = [] }: ExecutionResult): boolean {
  return errors.length > 0 && !errors.some(isUnreadable);
}

/** The second has the code of all bad requests. */
function isUnreadable({ extensions, message }: GraphQLError): boolean {
  return extensions['code'] === 'GRAPHQL_PARSE_FAILED' || message === INVALID_JSON;
}
