import type { Registry } from 'prom-client';
import type { ObserveReply } from '../transport/node.ts';
import { createHistogram, type Note } from './cells.ts';
import { SECONDS } from './request-metrics.ts';

/** Methods that are told apart: any other is a mistake or an attack. */
const METHODS = ['GET', 'POST', 'OPTIONS', 'HEAD'];

/** Upper bounds in seconds. Most answers are ready within a millisecond. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, ...SECONDS];

/** Measures how long HTTP requests take, from the end of their body to the beginning of their reply. */
export function observeReplies(registry: Registry): ObserveReply {
  const durations = createHistogram({
    registry,
    name: 'http_server_request_duration_seconds',
    help: 'HTTP requests from the end of their body to the beginning of their reply.',
    labelNames: ['http_request_method', 'http_response_status_code'],
    buckets: BUCKETS,
  });
  const others = new Map<number, Note>();
  const notes = new Map(METHODS.map((method) => [method, new Map<number, Note>()]));

  return (method, status, ms) => {
    const ofMethod = notes.get(method);
    const byStatus = ofMethod ?? others;
    let note = byStatus.get(status);
    if (!note) {
      const name = ofMethod ? method : '_OTHER';
      note = durations({ http_request_method: name, http_response_status_code: String(status) });
      byStatus.set(status, note);
    }
    note(ms / 1000);
  };
}
