import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { Clock } from '../time.ts';
import type { Ledger } from '../usage/ledger.ts';
import { type Operation, whenDone } from '../usage/operation.ts';
import { extensionsOf } from '../usage/report.ts';
import { type Answers, cacheControl } from './answers.ts';
import { mediaTypeOf } from './bodies.ts';
import { afterData, answerOf, draftOf, upToData } from './draft.ts';
import { CLIENT_NAME, type Parameters } from './persisted/parameters.ts';
import type { Prepare } from './prepare.ts';

/** Which media type Yoga answers with, by the `accept` header of a request. */
export type MediaTypes = LRUCache<string, string>;

/** Clients have few of them. */
export function createMediaTypes(): MediaTypes {
  return new LRUCache({ max: 100 });
}

export interface DirectOptions {
  prepare: Prepare;
  mediaTypes: MediaTypes;
  answers: Answers;
  ledger: Ledger;
  sandbox: boolean;
  now: Clock;
  log: Logger;
}

/** A POST whose body has been read; `key` is that of its answer. */
interface Posted {
  request: IncomingMessage;
  body: string;
  key: string;
}

/** Calls `otherwise` where the request is not plain, or wrong: nothing has been spent by then. */
export type ServeDirect = (
  posted: Posted,
  response: ServerResponse,
  otherwise: () => void,
) => Promise<void>;

/**
 * Serves plain queries without a Request, a Response and all that Yoga asks of them, which costs more
 * than most queries do. What is not plain JSON both ways takes the ordinary way, and so does whatever
 * is wrong: one place words the refusals.
 */
export function createServeDirect(options: DirectOptions): ServeDirect {
  const { prepare, mediaTypes, log } = options;
  const send = createSend(options);

  /** The operation of a request, and its media type; undefined where it is not plain or wrong. */
  async function begin({ request, body }: Posted) {
    const { accept = '', [CLIENT_NAME]: clientName } = request.headers;
    const contentType = mediaTypes.get(accept);
    const parameters = contentType && isPlain(request) && readParameters(body);
    if (!parameters) return undefined;
    const prepared = await prepare(parameters, clientName && String(clientName));
    if (!('args' in prepared) || prepared.registers) return undefined;
    return prepared.kind === OperationTypeNode.QUERY ? { ...prepared, contentType } : undefined;
  }

  return async (posted, response, otherwise) => {
    const begun = await begin(posted).catch(() => undefined);
    if (!begun) return otherwise();
    const { operation } = begun.context;
    try {
      const result = await begun.execute(begun.args);
      // Without data the variables were wrong: nothing has run.
      if (!('data' in result)) return otherwise();
      if (operation.underWay.size > 0) await whenDone(operation);
      send(response, { key: posted.key, contentType: begun.contentType, result, operation });
    } catch (error) {
      log.error({ err: error }, 'unexpected error');
      fail(response, extensionsOf(options.ledger, operation, options.sandbox));
    }
  };
}

/** Once an operation has run it is not run again: what it spent must be told. */
function fail(response: ServerResponse, extensions: object): void {
  if (response.headersSent) return void response.destroy();
  const errors = [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }];
  response.writeHead(500, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ errors, extensions }));
}

function isPlain({ url, headers }: IncomingMessage): boolean {
  const isJson = mediaTypeOf(headers['content-type']) === 'application/json';
  return url === '/graphql' && isJson && headers['content-encoding'] === undefined;
}

const object = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const plainParameters = z.strictObject({
  query: z.string().optional(),
  operationName: z.string().nullish(),
  variables: object.nullish(),
  extensions: object.nullish(),
});

/** Undefined for anything else than what GraphQL over HTTP knows. */
function readParameters(body: string): Parameters | undefined {
  const { success, data } = plainParameters.safeParse(parseJson(body));
  if (!success) return undefined;
  const { query, operationName, variables, extensions } = data;
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

interface Served {
  key: string;
  contentType: string;
  result: ExecutionResult;
  operation: Operation;
}

/** Sends a result with its account, and keeps what may be used again. */
function createSend({ answers, ledger, sandbox, now }: DirectOptions) {
  return (response: ServerResponse, { key, contentType, result, operation }: Served) => {
    const draft = draftOf(operation, result, now());
    const text = draft?.text ?? upToData(result);
    if (draft && answers.wants(key, text.length))
      answers.keep(key, answerOf(draft, 'POST', contentType));
    const body = text + afterData(extensionsOf(ledger, operation, sandbox));
    response.writeHead(200, {
      'content-type': contentType,
      'cache-control': cacheControl('POST', draft?.freshUntil ?? -Infinity, now()),
      'content-length': Buffer.byteLength(body),
    });
    // Head and body leave together, without a copy that would hold both.
    response.cork();
    response.flushHeaders();
    response.end(body);
  };
}
