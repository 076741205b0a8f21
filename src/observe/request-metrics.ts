import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestEnd } from '../upstream/request-end.ts';
import type { Bounded } from './bounded.ts';

/** Counts upstream requests and what they cost. */
export function observeRequests(registry: Registry, clientOf: Bounded): (end: RequestEnd) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'marketgraph_upstream_requests_total',
    help: 'Upstream requests by how they ended; `sent` is false if one was refused, or no longer needed.',
    labelNames: ['dataset', 'result', 'sent', 'retry'],
    registers,
  });
  const units = new Counter({
    name: 'marketgraph_units_total',
    help: 'Units of a meter that requests of this process have cost.',
    labelNames: ['meter', 'dataset', 'client'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_client_request_duration_seconds',
    help: 'Upstream requests from sending to the end of the body, without the wait for a permit.',
    labelNames: ['dataset', 'error_type'],
    buckets: SECONDS,
    registers,
  });
  const answeredAt = new Gauge({
    name: 'marketgraph_upstream_answer_timestamp_seconds',
    help: 'When a group of the upstream last sent a reply, since 1970.',
    labelNames: ['group'],
    aggregator: 'max',
    registers,
  });

  return (end) => {
    const { dataset, meter, group, result, wasSent, isRetry, units: cost, durationMs } = end;
    requests.inc({ dataset, result, sent: String(wasSent), retry: String(isRetry) });
    if (meter !== undefined && cost > 0)
      units.inc({ meter, dataset, client: clientOf(end.client) }, cost);
    const failure = result === 'ok' ? '' : result;
    if (wasSent) durations.observe({ dataset, error_type: failure }, durationMs / 1000);
    if (end.status !== undefined) answeredAt.set({ group }, Date.now() / 1000);
  };
}

/** Upper bounds of histograms in seconds, as OpenTelemetry proposes them for HTTP. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
