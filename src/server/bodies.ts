import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { parseJson } from '../json.ts';

const JSON_TYPES = ['application/json', 'application/graphql+json'];
/** Yoga itself reads the last two. */
const TYPES = [...JSON_TYPES, 'application/graphql', 'application/x-www-form-urlencoded'];

/** Without its parameters. Case and white space mean nothing in it (RFC 9110 section 8.3.1). */
export function mediaTypeOf(contentType: string | null | undefined): string {
  const [type = ''] = (contentType ?? '').split(/[;,]/, 1);
  return type.trim().toLowerCase();
}

/** Reads JSON under all that its media type may be written as, and shows nothing of it in errors. */
export function useJsonBodies(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method !== 'POST') return;
      if (JSON_TYPES.includes(mediaTypeOf(request.headers.get('content-type'))))
        setRequestParser(readJson);
      else if (!requestParser)
        throw refuse(415, 'UNSUPPORTED_MEDIA_TYPE', `Send the body as ${TYPES.join(', ')}.`);
    },
  };
}

export const INVALID_JSON = 'POST body sent invalid JSON.';

async function readJson(request: Request): Promise<GraphQLParams | GraphQLParams[]> {
  const parameters = parseJson(await request.text());
  if (parameters === undefined) throw refuse(400, 'BAD_REQUEST', INVALID_JSON);
  if (!isObject(parameters)) throw refuse(400, 'BAD_REQUEST', 'POST body must be an object.');
  return parameters;
}

/** What is in it is looked at where it is used. */
function isObject(value: unknown): value is GraphQLParams | GraphQLParams[] {
  return typeof value === 'object' && value !== null;
}

function refuse(status: number, code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } });
}
