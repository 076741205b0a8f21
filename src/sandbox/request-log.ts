/** One request and its outcome, by which tests see what the gateway has requested. */
export interface SandboxRequest {
  group: 'A' | 'B';
  /** Path and query as received, without the group's prefix: /v1/fx/rates, /crypto/prices?limit=500. */
  path: string;
  /** HTTP status; 0 = not answered (yet). */
  status: number;
  /** Units charged: 0 or 1. */
  cost: number;
  /** Arrival, epoch milliseconds by the sandbox's clock. */
  at: number;
}

/** Minimum number of requests that are kept: far more than a test looks at. A sandbox may run for weeks. */
const KEPT = 100_000;

/** The latest requests in order of arrival, and how many were in flight at once. */
export interface RequestLog {
  begin: (group: 'A' | 'B', path: string, at: number) => SandboxRequest;
  end: (request: SandboxRequest) => void;
  requests: () => readonly SandboxRequest[];
  /** Highest number of requests in flight at once for any one URL, health excluded. */
  peakSameUrl: () => number;
  reset: () => void;
}

export function createRequestLog(): RequestLog {
  let all: SandboxRequest[] = [];
  let peak = 0;
  const inFlight = new Map<string, number>();

  function count(request: SandboxRequest, change: number): number {
    const key = request.group + request.path;
    const next = (inFlight.get(key) ?? 0) + change;
    if (next === 0) inFlight.delete(key);
    else inFlight.set(key, next);
    return next;
  }

  return {
    begin(group, path, at) {
      const request: SandboxRequest = { group, path, status: 0, cost: 0, at };
      if (all.length >= 2 * KEPT) all = all.slice(-KEPT);
      all.push(request);
      const together = count(request, 1);
      if (path !== '/health') peak = Math.max(peak, together);
      return request;
    },
    end(request) {
      count(request, -1);
    },
    requests: () => all,
    peakSameUrl: () => peak,
    reset() {
      all = [];
      peak = 0;
    },
  };
}
