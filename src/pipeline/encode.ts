import type { ExecutionResult, GraphQLError } from 'graphql';
import type { HttpHints } from '../documents/refusals.ts';
import { perMeter } from '../meters.ts';
import { jsonOf } from '../projection/json-text.ts';
import type { Clock } from '../time.ts';
import type { Operation } from '../usage/operation.ts';
import type { Extensions } from '../usage/report.ts';
import { etagOf, type KeptAnswer, type KeptAnswers } from './kept-answers.ts';
import type { ObjectReply, OperationRequest, TextReply } from './request.ts';

/** Makes replies of results, and keeps those that may be used again. */

/** What uses nothing that ages, such as introspection, holds for a while. */
const AGELESS_MS = 300_000;

const NOTHING_USED = perMeter(() => 0);

export function encodeKept(answer: KeptAnswer, account: Extensions): TextReply {
  const { head, mediaType, etag, freshUntil } = answer;
  return {
    kind: 'text',
    head,
    account,
    mediaType,
    etag,
    freshUntil,
    used: NOTHING_USED,
    http: undefined,
  };
}

/** A result as its client sees it; `operation` is undefined where it was refused before it ran. */
export interface Accounted {
  result: ExecutionResult;
  account: Extensions;
  operation: Operation | undefined;
  name: string | undefined;
}

/** `key`: what to keep the answer under, where it may be kept at all. */
export type Encode = (
  request: OperationRequest,
  accounted: Accounted,
  key?: string,
) => TextReply | ObjectReply;

export function createEncode(keptAnswers: KeptAnswers, now: Clock): Encode {
  return (request, accounted, key) => {
    const { result, account, operation, name } = accounted;
    const freshUntil = freshUntilOf(accounted, now());
    const http = hintsOf(result);
    if (request.format === 'object') {
      const extensions = { ...account, ...(http && { http }) };
      return { kind: 'object', result: { ...result, extensions }, freshUntil };
    }
    const { mediaType } = request.format;
    const head = headOf(result);
    const reply = { kind: 'text', head, account, mediaType, freshUntil, http } as const;
    const used = operation?.used ?? NOTHING_USED;
    const isWanted = freshUntil > 0 && key !== undefined && keptAnswers.wants(key, head.length);
    const hasEtag = freshUntil > 0 && request.method === 'GET';
    if (!isWanted && !hasEtag) return { ...reply, used, etag: undefined };
    const bytes = Buffer.from(head);
    const etag = hasEtag ? etagOf(bytes) : undefined;
    const parts = operation?.parts ?? new Set();
    if (isWanted) keptAnswers.keep(key, { head: bytes, mediaType, etag, freshUntil, parts, name });
    return { ...reply, head: bytes, used, etag };
  };
}

/** 0 for what holds for this moment only: errors, warnings, stale parts, dry runs. */
function freshUntilOf({ result, operation }: Accounted, now: number): number {
  if (!operation || result.errors || !('data' in result)) return 0;
  const { estimate, stale, warnings, freshUntil } = operation;
  if (estimate || stale > 0 || warnings.size > 0) return 0;
  const until = freshUntil === Infinity ? now + AGELESS_MS : freshUntil;
  return until > now ? until : 0;
}

/** The response's JSON up to the end of its `data`; the account follows. */
function headOf(result: ExecutionResult): string {
  const errors = result.errors ? `"errors":${JSON.stringify(result.errors.map(errorJson))}` : '';
  if (!('data' in result)) return `{${errors}`;
  return `{${errors && `${errors},`}"data":${jsonOf(result.data)}`;
}

/** What HTTP makes of an error means nothing to clients. */
export function errorJson(error: GraphQLError) {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, ...shown } = extensions ?? {};
  return { ...rest, extensions: shown };
}

/** Of an operation that has not run: the errors agree on the status, headers may differ. */
function hintsOf({ errors = [], ...rest }: ExecutionResult): HttpHints | undefined {
  if ('data' in rest) return undefined;
  return errors.map(({ extensions }) => extensions['http']).find(isHints);
}

function isHints(value: unknown): value is HttpHints {
  return typeof value === 'object' && value !== null && 'status' in value;
}
