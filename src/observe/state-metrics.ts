import { Histogram, type Registry } from 'prom-client';
import type { Gateway } from '../graph/context.ts';
import type { Group } from '../meters.ts';
import type { Places } from '../pipeline/places.ts';
import type { StoreState } from '../shared/state.ts';
import type { ObserveStoreCall } from '../shared/watched.ts';
import { createGauges } from './gauges.ts';
import type { KeyWatch } from './key-watch.ts';

/** Gauges for the state, at the time of reading, of what the gateway needs or holds open: upstream, store, streams. */

export interface Described {
  gateway: Gateway;
  keyWatch: KeyWatch;
  places: Pick<Places, 'underWay' | 'waiting'>;
  store: StoreState;
  /** How many of each are open. */
  open: Record<'subscriptions' | 'eventStreams' | 'webSockets', () => number>;
  /** Bytes that the texts of operations take up in memory. */
  documents: Record<(typeof DOCUMENTS)[number], () => number>;
}

const GROUPS: readonly Group[] = ['A', 'B'];
const DOCUMENTS = ['parsed', 'registered'] as const;

export function describeState(registry: Registry, described: Described) {
  const { gateway, keyWatch, places, store, open, documents } = described;
  const { per, single } = createGauges(registry);
  const states = gateway.client.states;
  const perGroup = per('group', GROUPS);

  perGroup(
    'marketgraph_upstream_breaker_open',
    'Whether the circuit breaker holds requests back, since the upstream does not answer.',
    (group) => (states()[group].isUp ? 0 : 1),
  );
  perGroup(
    'marketgraph_upstream_key_refused',
    'Whether the upstream has refused our key within the last minute.',
    (group) => (keyWatch.refusedBy().includes(group) ? 1 : 0),
  );
  perGroup(
    'marketgraph_upstream_waiting_requests',
    'Requests that wait for a permit of the rate limiter.',
    (group) => states()[group].waiting,
    'sum',
  );
  perGroup(
    'marketgraph_upstream_limit_requests_per_second',
    'Requests a second that may be sent, configured or learned; absent if no limit is known.',
    (group) => finite(states()[group].perSecond),
  );
  per('store', [store.kind])(
    'marketgraph_shared_store_up',
    'Whether the shared store is usable, by kind.',
    () => (store.isUp() ? 1 : 0),
    'min',
  );
  per('kind', DOCUMENTS)(
    'marketgraph_documents_bytes',
    'Size of the texts of operations kept in memory, as estimated, in bytes.',
    (kind) => documents[kind](),
    'sum',
  );
  single(
    'marketgraph_operations_under_way',
    'Operations in flight, including those that wait; kept answers do not count.',
    places.underWay,
  );
  single(
    'marketgraph_operations_waiting',
    'Operations in flight that wait for their turn to begin.',
    places.waiting,
  );
  single('marketgraph_open_subscriptions', 'Subscriptions that are open.', open.subscriptions);
  single('marketgraph_open_event_streams', 'Server-sent event streams.', open.eventStreams);
  single('marketgraph_open_websockets', 'WebSockets that are open.', open.webSockets);
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

/** Upper bounds in seconds. A file answers within 0.1 ms, a server within 1 ms; beyond 100 ms it counts as down. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export function observeStoreCalls(registry: Registry): ObserveStoreCall {
  const durations = new Histogram({
    name: 'marketgraph_shared_store_call_duration_seconds',
    help: 'Shared-store calls that responses wait for.',
    labelNames: ['call'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return (call, seconds) => durations.observe({ call }, seconds);
}
