/** What an endpoint is, and how the endpoint of a path is found. */

/** The three counters of section 8. */
export type MeterName = 'fx' | 'macro' | 'credits';

/** One request as an endpoint sees it: its parameters, and the time its data are for. */
export interface EndpointRequest {
  query: URLSearchParams;
  /** The path's parameter (a currency pair, a series code), decoded; '' where the path has none. */
  subject: string;
  /** Epoch milliseconds, rounded down to a step of the clock (time.ts, stepAt). */
  at: number;
  /** The calendar day of `at` in Europe/Istanbul. */
  today: number;
  /** Path and query as received; seeds which optional fields are absent. */
  path: string;
}

/** One endpoint of section 4 of the spec. */
export interface Endpoint {
  /** One part may be a parameter in braces. */
  path: string;
  /** The counter that a success is charged to; null costs nothing. */
  meter: MeterName | null;
  /** True when it needs no key. */
  isPublic?: boolean;
  /** The body without the group's leading fields (handler.ts). Throws an ApiError. */
  answer: (request: EndpointRequest) => object;
}

/** The endpoint of a path, and the path's parameter. */
export interface Route {
  endpoint: Endpoint;
  subject: string;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds the endpoint of a pathname; null when there is none. */
export function createRouter(endpoints: readonly Endpoint[]): (pathname: string) => Route | null {
  const patterns = endpoints.map((endpoint) => {
    const pattern = endpoint.path.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/, '([^/]+)');
    return { endpoint, pattern: new RegExp(`^${pattern}$`) };
  });
  return (pathname) => {
    for (const { endpoint, pattern } of patterns) {
      const match = pattern.exec(pathname);
      if (match) return { endpoint, subject: decode(match[1] ?? '') };
    }
    return null;
  };
}
