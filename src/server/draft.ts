import type { ExecutionResult } from 'graphql';
import { jsonOf } from '../projection/json-text.ts';
import type { Operation } from '../usage/operation.ts';
import { type Answer, etagOf } from './answers.ts';

/** The data of a response that may be used again. */
export interface Draft {
  /** The response's JSON up to the end of its `data`. */
  text: string;
  /** On the monotonic clock, as is `freshUntil`. */
  madeAt: number;
  freshUntil: number;
  operation: Operation;
}

/** What uses nothing that ages, such as introspection, holds for a while. */
const AGELESS_MS = 300_000;

/** Undefined for what holds for this moment only: errors, warnings, stale parts, dry runs. */
export function draftOf(
  operation: Operation | undefined,
  result: ExecutionResult,
  now: number,
): Draft | undefined {
  if (!operation || !isReusable(operation, result)) return undefined;
  const { freshUntil } = operation;
  const until = freshUntil === Infinity ? now + AGELESS_MS : freshUntil;
  if (until <= now) return undefined;
  return { text: upToData(result), madeAt: now, freshUntil: until, operation };
}

/** The response's JSON up to the end of its `data`; `afterData` is the rest of it. */
export function upToData({ errors, data }: ExecutionResult): string {
  const known = errors ? `"errors":${JSON.stringify(errors)},` : '';
  return `{${known}"data":${jsonOf(data)}`;
}

/** The account is never kept: it follows the data, fresh each time. */
export function afterData(account: unknown): string {
  return `,"extensions":${JSON.stringify(account)}}`;
}

function isReusable({ estimate, stale, warnings }: Operation, result: ExecutionResult): boolean {
  return !estimate && stale === 0 && warnings.size === 0 && !result.errors && 'data' in result;
}

/** What is kept of it. */
export function answerOf(
  { text, madeAt, freshUntil, operation }: Draft,
  method: string,
  contentType: string,
): Answer {
  const bytes = Buffer.from(text);
  const etag = method === 'GET' ? etagOf(bytes) : undefined;
  return { bytes, contentType, etag, madeAt, freshUntil, parts: operation.parts };
}
