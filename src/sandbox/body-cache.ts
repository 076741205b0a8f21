import { createRouter, type Endpoint, type MeterName } from './endpoint.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import { dayOf, stepAt } from './time.ts';

/**
 * Finds the endpoint of a request and serializes its answer, once for each step of the clock. Knows nothing of keys,
 * quotas or charges.
 */

/** A serialized response body, without the leading fields, which change from request to request. */
export interface CachedBody {
  /** Set on error responses: the parameters are wrong, or nothing matches them. */
  error: ErrorCode | null;
  /** The JSON object after its opening brace. */
  rest: Buffer;
}

/** The endpoint of a path. */
export interface FoundEndpoint {
  meter: MeterName | null;
  isPublic: boolean;
  /** The current body, from the cache if it is there. */
  body: () => CachedBody;
}

/** Finds the endpoint of a path with its query; null for an unknown path. */
export type Bodies = (path: string) => FoundEndpoint | null;

/** Maximum bytes cached; the whole legislation archive alone takes more than one million. */
const MAX_BYTES = 64_000_000;

const restOf = (fields: object) => Buffer.from(JSON.stringify(fields).slice(1));

/** Serializes what `make` returns. An ApiError is serialized and cached like any other body. */
function bodyOf(make: () => object, errorFields: (error: ApiError) => object): CachedBody {
  try {
    return { error: null, rest: restOf(make()) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: error.code, rest: restOf(errorFields(error)) };
  }
}

/**
 * Caches bodies by path and query. Apart from settings, they depend on nothing but the seed and the clock, which counts
 * in steps of five seconds: with each step the cache is emptied. Under load nearly every request is a hit.
 */
function createStepCache(now: () => number) {
  const bodies = new Map<string, CachedBody>();
  let step = Number.NaN;
  let bytes = 0;

  function clear(): void {
    bodies.clear();
    bytes = 0;
  }

  function get(path: string, make: (at: number) => CachedBody): CachedBody {
    const at = stepAt(now());
    if (at !== step || bytes > MAX_BYTES) clear();
    step = at;
    const cached = bodies.get(path);
    if (cached) return cached;
    const body = make(at);
    bodies.set(path, body);
    bytes += body.rest.length + path.length;
    return body;
  }
  return { get, clear };
}

/** The bodies of a group. `clear` empties the cache, for when settings have changed. */
export function createBodies(
  endpoints: readonly Endpoint[],
  errorFields: (error: ApiError) => object,
  now: () => number,
): { find: Bodies; clear: () => void } {
  const route = createRouter(endpoints);
  const { get, clear } = createStepCache(now);

  function find(path: string): FoundEndpoint | null {
    const queryStart = path.indexOf('?');
    const found = route(queryStart < 0 ? path : path.slice(0, queryStart));
    if (!found) return null;
    const { endpoint, subject } = found;
    const answer = (at: number) => {
      const query = new URLSearchParams(queryStart < 0 ? '' : path.slice(queryStart + 1));
      return endpoint.answer({ query, subject, at, today: dayOf(at), path });
    };
    const body = () => get(path, (at) => bodyOf(() => answer(at), errorFields));
    return { meter: endpoint.meter, isPublic: endpoint.isPublic ?? false, body };
  }
  return { find, clear };
}
