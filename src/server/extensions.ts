import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Clock } from '../time.ts';
import { isPlanned } from '../usage/estimate.ts';
import type { Ledger } from '../usage/ledger.ts';
import { type Operation, whenDone } from '../usage/operation.ts';
import { extensionsOf } from '../usage/report.ts';
import { type Answers, cacheControl, matchesEtag, USED, usedBy, VARY } from './answers.ts';
import type { MediaTypes } from './direct.ts';
import { afterData, answerOf, type Draft, draftOf } from './draft.ts';

export interface ExtensionsOptions {
  ledger: Ledger;
  answers: Answers;
  mediaTypes: MediaTypes;
  operationOf(request: Request): Operation | undefined;
  sandbox: boolean;
  now: Clock;
}

/** What Yoga's node:http adapter knows of a request; `answerKey` is set by createHandler. */
export interface NodeContext {
  req?: IncomingMessage & { answerKey?: string | undefined };
}

type ResultProcess = Parameters<NonNullable<Plugin<object, NodeContext>['onResultProcess']>>[0];

/**
 * Puts the account of its operation into every response, rejected requests included, says how long
 * the response may be kept, and keeps it here for that long.
 */
export function useExtensions(options: ExtensionsOptions): Plugin<object, NodeContext> {
  const { ledger, answers, mediaTypes, operationOf, sandbox, now } = options;
  const drafts = new WeakMap<Request, Draft>();

  function addAccount({ request, result, setResult }: ResultProcess): void {
    if (Array.isArray(result) || Symbol.asyncIterator in result) return;
    const operation = operationOf(request);
    const draft = draftOf(operation, result, now());
    if (draft) drafts.set(request, draft);
    const isDry = operation?.estimate !== undefined;
    // What was refused has no price: nobody shall read that it costs nothing.
    const hasPrice = isDry && 'data' in result;
    const served = hasPrice ? dryResult(result) : result;
    const extensions = extensionsOf(ledger, isDry && !hasPrice ? undefined : operation, sandbox);
    const stringify = draft && { stringify: stringifyWith(draft.text) };
    setResult({ ...served, ...stringify, extensions: { ...result.extensions, ...extensions } });
  }

  return {
    onResultProcess(payload) {
      const operation = operationOf(payload.request);
      if (!operation || operation.underWay.size === 0) return addAccount(payload);
      return whenDone(operation).then(() => addAccount(payload));
    },
    onResponse({ request, response, setResponse, fetchAPI, serverContext }) {
      const draft = drafts.get(request);
      const { method } = request;
      const { headers, status } = response;
      if (!headers.has('cache-control'))
        headers.set('cache-control', cacheControl(method, draft?.freshUntil ?? -Infinity, now()));
      if (method === 'GET' && !headers.has('vary')) headers.set('vary', VARY);
      const contentType = headers.get('content-type') ?? '';
      // As an event or a part of several the same data look different.
      if (status !== 200 || !contentType.includes('json')) return;
      mediaTypes.set(request.headers.get('accept') ?? '', contentType);
      if (!draft) return;
      const key = serverContext.req?.answerKey;
      const isWanted = key !== undefined && answers.wants(key, draft.text.length);
      if (!isWanted && method !== 'GET') return;
      const answer = answerOf(draft, method, contentType);
      if (isWanted) answers.keep(key, answer);
      if (!answer.etag) return;
      headers.set('etag', answer.etag);
      if (!matchesEtag(request.headers.get('if-none-match') ?? undefined, answer.etag)) return;
      headers.set(USED, usedBy(draft.operation.used));
      setResponse(new fetchAPI.Response(null, { status: 304, headers }));
    },
  };
}

function stringifyWith(text: string) {
  return ({ extensions }: ExecutionResult): string => text + afterData(extensions);
}

/** A dry run has no data, and no errors but those that would stop the operation in earnest. */
function dryResult({ errors = [] }: ExecutionResult): ExecutionResult {
  const real = errors.filter((error) => !isPlanned(error));
  return { data: null, ...(real.length > 0 && { errors: real }) };
}
