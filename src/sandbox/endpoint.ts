/** The three counters of section 8. */
export type MeterName = 'fx' | 'macro' | 'credits';

/** One request as an endpoint sees it: path and query parameters, and the moment it is answered for. */
export interface Ask {
  query: URLSearchParams;
  /** The part of the path in braces, decoded; '' where the path has none. */
  subject: string;
  /** Epoch milliseconds on the grid of `stepAt`. */
  at: number;
  /** The calendar day of `at` in Europe/Istanbul. */
  today: number;
  /** Path and query as received; only for optional fields that are sometimes absent. */
  path: string;
}

/** One row of section 4. */
export interface Endpoint {
  /** At most one part stands in braces. */
  path: string;
  /** What a success is charged to; null costs nothing. */
  meter: MeterName | null;
  /** True when no key is asked for. */
  open?: boolean;
  /** The body without the fields every answer of the group has. Throws a Refusal. */
  answer: (ask: Ask) => object;
}

/** An endpoint and what a path says about its subject. */
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
