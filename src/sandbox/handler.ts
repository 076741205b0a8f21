import type { IncomingHttpHeaders } from 'node:http';
import type { Bodies, CachedBody, FoundEndpoint } from './body-cache.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { Meters } from './meters.ts';

/**
 * How a request of either group is answered: checks, body, charge. What differs between the groups is passed in as a
 * Dialect.
 */

/** A response before it is sent, and what it cost. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Units charged: 0 or 1. */
  cost: number;
}

/** Throws an ApiError when the request's key is missing or wrong. */
export type Authorize = (headers: IncomingHttpHeaders) => void;

/** What differs between the two groups. Everything else about a request is handled the same way. */
export interface Dialect {
  authorize: Authorize;
  /** Group B's per-second limit; throws an ApiError. */
  checkRate: () => void;
  statusOf: Record<ErrorCode, number>;
  errorFields: (error: ApiError) => object;
  /** The fields that begin every body. They change with each request, so they are never cached. */
  leadingFields: (success: boolean) => object;
}

/** One HTTP request to a group. */
interface GroupRequest {
  method: string;
  /** Path and query without the group's prefix. */
  path: string;
  headers: IncomingHttpHeaders;
}

/** Answers the requests of one group. */
export interface GroupHandler {
  /** Answers a request and charges for it. */
  answer: (request: GroupRequest) => Reply;
  /** The answer that an authorized request would get now. Costs nothing, and ignores quotas and limits. */
  preview: (path: string) => Reply;
}

function composeReply(dialect: Dialect, { error, rest }: CachedBody, cost: number): Reply {
  const leading = JSON.stringify(dialect.leadingFields(error === null));
  return {
    status: error === null ? 200 : dialect.statusOf[error],
    headers: error === 'rate_limited' ? { 'retry-after': '1' } : {},
    body: Buffer.concat([Buffer.from(`${leading.slice(0, -1)},`), rest]),
    cost,
  };
}

function errorReply(dialect: Dialect, error: ApiError): Reply {
  const rest = Buffer.from(JSON.stringify(dialect.errorFields(error)).slice(1));
  return composeReply(dialect, { error: error.code, rest }, 0);
}

/** Applies sections 5, 7 and 8 in this order: key, method and path, per-second limit, meter, parameters. */
export function createGroupHandler(dialect: Dialect, bodies: Bodies, meters: Meters): GroupHandler {
  function check({ method, path, headers }: GroupRequest): FoundEndpoint {
    const found = bodies(path);
    if (!found?.isPublic) dialect.authorize(headers);
    if (method !== 'GET') throw new ApiError('method_not_allowed', 'Only GET is allowed');
    if (!found) throw new ApiError('not_found', 'No such path');
    dialect.checkRate();
    if (found.meter) meters.checkQuota(found.meter);
    return found;
  }

  /** Only a success is charged. */
  function charge({ meter, body }: FoundEndpoint): Reply {
    const made = body();
    if (made.error !== null || meter === null) return composeReply(dialect, made, 0);
    meters.charge(meter);
    return composeReply(dialect, made, 1);
  }

  return {
    answer(request) {
      try {
        return charge(check(request));
      } catch (error) {
        if (error instanceof ApiError) return errorReply(dialect, error);
        throw error;
      }
    },
    preview(path) {
      const found = bodies(path);
      if (found) return composeReply(dialect, found.body(), 0);
      return errorReply(dialect, new ApiError('not_found', 'No such path'));
    },
  };
}
