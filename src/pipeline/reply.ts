import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { alwaysAgain } from '../cache/cached.ts';
import type { Client } from '../clients/file.ts';
import { codedInField, type HttpHints, hintsIn } from '../documents/refusals.ts';
import { flat } from '../json.ts';
import { perMeter } from '../meters.ts';
import type { Clock } from '../time.ts';
import { errorsOfDryRun } from '../usage/estimate.ts';
import { deduplicateErrors } from './errors.ts';
import type { Ledger } from '../usage/units.ts';
import type { Operation, Warning } from '../usage/operation.ts';
import { createHitExtensions, type Extensions, extensionsOf } from '../usage/report.ts';
import type { Run } from './begin.ts';
import { OVERLOADED, OVERLOADED_HEAD } from './overload.ts';
import { headOf, tailOf } from './result-json.ts';
import { etagOf, type KeptAnswer, type KeptAnswers, wholeOf } from './kept-answers.ts';
import type { ObjectReply, OperationRequest, RefusedReply, TextReply } from './request.ts';

/** The last two steps of an operation: what its client sees of it (account), and in what format (encode). */
export interface Replies {
  /** Returns a result as its client sees it, and the account that goes with it. */
  account(result: ExecutionResult, run?: Partial<Run>): AccountedResult;
  encode(request: OperationRequest, end: End): TextReply | ObjectReply;
  ofKept(answer: KeptAnswer, details: HitDetails): TextReply;
  /** Returns the refusal of an operation for which there is no place. Costs next to nothing. */
  overloaded(client: Client | undefined): RefusedReply;
}

interface HitDetails {
  client?: Client | undefined;
  /** Whether the answer was still being made, for another request, when this one arrived. */
  isJoined: boolean;
  /** Now, by the monotonic clock. */
  at: number;
}

interface AccountedResult {
  result: ExecutionResult;
  /** Returns the account as of now. */
  extensions(): Extensions;
}

/** An operation that is over. */
export type End = Run & AccountedResult;

interface RepliesOptions {
  keptAnswers: KeptAnswers;
  ledger: Ledger;
  sandbox: boolean;
  monotonic: Clock;
  log: Logger;
}

/** How long an answer without aging data, such as introspection, is fresh. */
const AGELESS_FRESH_MS = 300_000;
const NOTHING_USED = perMeter(() => 0);
const NO_WARNINGS: ReadonlySet<Warning> = new Set();
/** Maximum characters of data kept as a string: a short string with the account appended is sent faster than bytes. */
const MAX_TEXT_LENGTH = 8192;

export function createReplies(options: RepliesOptions): Replies {
  const { keptAnswers, ledger, sandbox, monotonic, log } = options;
  const hitTail = createHitExtensions({ ledger, sandbox }, tailOf);

  /** Returns the end of a response. Most operations spend nothing: their account is made like that of a kept answer. */
  function accountOf({ operation, client, extensions }: End, at: number): string {
    return operation && isAllHits(operation)
      ? hitTail(operation.cacheHits, { client, isJoined: false, at }, operation.warnings)
      : tailOf(JSON.stringify(extensions()));
  }

  /** Returns the data of an answer as they are sent, and keeps them if that is worthwhile. */
  function headToSend(
    method: OperationRequest['method'],
    mediaType: string,
    { result, operation, name, key, isSameText }: End,
    freshUntil: number,
  ): Pick<TextReply, 'head' | 'compressed' | 'etag'> {
    const head = headOf(result);
    const isFresh = freshUntil > NOT_FRESH;
    const parts = operation?.parts ?? new Set();
    const mayKeep = isFresh && !parts.has(alwaysAgain);
    const isWanted = mayKeep && key !== undefined && keptAnswers.wants(key, head.length);
    const hasEtag = isFresh && method === 'GET';
    if (!isWanted && !hasEtag) return { head, compressed: undefined, etag: undefined };
    const encoded = head.length > MAX_TEXT_LENGTH ? Buffer.from(head) : flat(head);
    const etag = hasEtag ? etagOf(encoded) : undefined;
    if (!isWanted) return { head: encoded, compressed: undefined, etag };
    const { served = [], warnings = NO_WARNINGS } = operation ?? {};
    const about = { mediaType, etag, freshUntil, parts, name, served, warnings, isSameText };
    const kept = keptAnswers.keep(key, { head: encoded, ...about });
    return { head: encoded, compressed: kept.compressed, etag };
  }

  return {
    account(result, { operation, client } = {}) {
      // A dry run that was refused has no price: its account must not say that the operation costs nothing.
      const hasPrice = 'data' in result || !operation?.estimate;
      return {
        result: operation ? visibleResult(result, operation, log) : result,
        extensions: () =>
          extensionsOf({ ledger, sandbox }, hasPrice ? operation : undefined, client),
      };
    },
    encode({ method, format }, end) {
      const { result, operation } = end;
      const at = monotonic();
      const freshUntil = freshUntilOf(result, operation, at);
      const freshForMs = freshUntil - at;
      if (format === 'object') {
        const extensions = { ...end.extensions() };
        return { kind: 'object', result: { ...result, extensions }, freshForMs };
      }
      const { mediaType } = format;
      return {
        kind: 'text',
        tail: accountOf(end, at),
        ...headToSend(method, mediaType, end, freshUntil),
        mediaType,
        freshForMs,
        used: operation?.used ?? NOTHING_USED,
        http: hintsOf(result),
      };
    },
    ofKept(kept, details) {
      const { head, compressed, mediaType, etag, freshUntil, served, warnings } = kept;
      const tail = hitTail(served.length, details, warnings);
      const whole = () => wholeOf(kept, tail);
      const freshForMs = freshUntil - details.at;
      const about = { mediaType, etag, freshForMs, used: NOTHING_USED, http: undefined };
      return { kind: 'text', head, tail, whole, compressed, ...about };
    },
    overloaded(client) {
      const text = OVERLOADED_HEAD + hitTail(0, { client, isJoined: false }, NO_WARNINGS);
      return { kind: 'refused', error: OVERLOADED, text };
    },
  };
}

/** Returns a result as clients may see it: without the data of a dry run, and without internal errors. */
function visibleResult(
  result: ExecutionResult,
  { estimate }: Operation,
  log: Logger,
): ExecutionResult {
  if (!('data' in result)) return result;
  const visible = estimate ? { data: null } : result;
  const errors = estimate ? errorsOfDryRun(result.errors, estimate) : result.errors;
  if (!errors?.length) return visible;
  return {
    ...visible,
    errors: deduplicateErrors(errors).map((error) => maskUnexpected(error, log)),
  };
}

/**
 * Hides unexpected errors from clients, and logs them. Errors of graphql-js itself are the client's: they are about
 * arguments and directives whose variables are null.
 */
function maskUnexpected(error: GraphQLError, log: Logger): GraphQLError {
  const { originalError, nodes, path } = error;
  if (!originalError || originalError instanceof GraphQLError)
    return codedInField('BAD_USER_INPUT', error);
  log.error({ err: originalError }, 'unexpected error');
  const extensions = { code: 'INTERNAL_SERVER_ERROR' };
  return new GraphQLError('Unexpected error.', { nodes, path, extensions });
}

/** Whether everything that an operation used was in the cache, and fresh. */
const isAllHits = (operation: Operation) => {
  const { requests, healthChecks, coalesced, stale, failed, estimate } = operation;
  return requests + healthChecks + coalesced + stale + failed === 0 && !estimate;
};

/** `freshUntil` of answers that hold for this moment only: errors, stale parts, dry runs. */
const NOT_FRESH = -Infinity;

function freshUntilOf(
  result: ExecutionResult,
  operation: Operation | undefined,
  now: number,
): number {
  if (!operation || result.errors || !('data' in result)) return NOT_FRESH;
  const { estimate, stale, freshUntil } = operation;
  if (estimate || stale > 0) return NOT_FRESH;
  const until = freshUntil === Infinity ? now + AGELESS_FRESH_MS : freshUntil;
  return until > now ? until : NOT_FRESH;
}

/** Returns the HTTP status and headers for an operation that has not run. */
function hintsOf(result: ExecutionResult): HttpHints | undefined {
  return 'data' in result ? undefined : result.errors?.map(hintsIn).find((hints) => hints);
}
