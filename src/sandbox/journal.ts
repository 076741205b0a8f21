/** One request as it arrived and as it was answered. */
export interface SandboxRequest {
  group: 'A' | 'B';
  /** Path and query as received, without the group's prefix: /v1/fx/rates, /crypto/prices?limit=500. */
  path: string;
  /** 0 = never answered. */
  status: number;
  /** Units charged: 0 or 1. */
  cost: number;
  /** Arrival, epoch milliseconds by the sandbox's clock. */
  at: number;
}

/** Every request in order of arrival, and how many were under way at once. */
export interface Journal {
  arrive: (group: 'A' | 'B', path: string, at: number) => SandboxRequest;
  leave: (request: SandboxRequest) => void;
  requests: () => readonly SandboxRequest[];
  /** Most requests in flight at once for any one URL, health excluded. */
  peakSameUrl: () => number;
  reset: () => void;
}

export function createJournal(): Journal {
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
    arrive(group, path, at) {
      const request: SandboxRequest = { group, path, status: 0, cost: 0, at };
      all.push(request);
      const together = count(request, 1);
      if (path !== '/health') peak = Math.max(peak, together);
      return request;
    },
    leave(request) {
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
