import { Histogram, type Registry } from 'prom-client';
import { SECONDS } from './request-metrics.ts';

/** Called when the reply to an HTTP request is handed over to be sent. */
export type ObserveReply = (method: string, status: number, startedAt: number) => void;

/** Any other method is a mistake or an attack. */
const METHODS = new Set(['GET', 'POST', 'OPTIONS', 'HEAD']);

/** Answers are mostly there within a millisecond. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, ...SECONDS];

/** How long HTTP requests take, from when their body is there until their reply is. */
export function observeReplies(registry: Registry): ObserveReply {
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'HTTP requests from the end of their body to the beginning of their reply.',
    labelNames: ['http_request_method', 'http_response_status_code'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const timers = new Map<string, Histogram.Internal<string>>();

  return (method, status, startedAt) => {
    const key = `${method} ${status}`;
    const known = timers.get(key);
    const seconds = (performance.now() - startedAt) / 1000;
    if (known) return known.observe(seconds);
    const timer = durations.labels(METHODS.has(method) ? method : '_OTHER', String(status));
    if (METHODS.has(method)) timers.set(key, timer);
    timer.observe(seconds);
  };
}
