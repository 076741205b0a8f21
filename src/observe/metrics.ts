import {
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { ObserveStoreCall } from '../shared/watched.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import type { RepeatsObserver } from './batch.ts';
import { createBounded } from './bounded.ts';
import { describeGateway } from './gateway-metrics.ts';
import type { ObserveReply } from '../transport/node.ts';
import { observeReplies } from './http-metrics.ts';
import { observeOperations } from './operation-metrics.ts';
import { observeRequests } from './request-metrics.ts';
import { type Described, describeState, observeStoreCalls } from './state-metrics.ts';

/** The metrics that Prometheus reads (docs/metrics.md). Each label has few values, whatever clients ask for. */
export interface Metrics {
  operations: RepeatsObserver;
  observeRequest(end: RequestEnd): void;
  observeReply: ObserveReply;
  observeStoreCall: ObserveStoreCall;
  /** Adds the state of the gateway, once everything is open. */
  describe(described: Described): void;
  text(): Promise<string>;
  /** Returns the same as values, which can be combined with those of other processes. */
  values(): Promise<Values>;
  readonly contentType: string;
}

/** The metrics of a process. */
export type Values = readonly MetricObjectWithValues<MetricValue<string>>[];

/**
 * prom-client's own metrics, of memory, garbage collection and the event loop. They are collected once, however many
 * gateways a process opens: their collectors cannot be stopped, and would keep everything in their registry alive.
 */
let ofProcess: Registry | undefined;

function metricsOfProcess(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Maximum number of clients that are told apart, the first to come: the clients file may list any number. */
const MAX_CLIENTS = 200;

/** `beforeReading`: called before metrics are read, so that observers are notified of what is pending. */
export function createMetrics(beforeReading: () => void): Metrics {
  // A registry of its own, which includes the metrics of the process.
  const registry = Registry.merge([metricsOfProcess()]);
  const clientOf = createBounded(MAX_CLIENTS);
  return {
    operations: observeOperations(registry, clientOf),
    observeRequest: observeRequests(registry, clientOf),
    observeReply: observeReplies(registry),
    observeStoreCall: observeStoreCalls(registry),
    describe(described) {
      describeGateway(registry, described.gateway);
      describeState(registry, described);
    },
    text() {
      beforeReading();
      return registry.metrics();
    },
    values() {
      beforeReading();
      return registry.getMetricsAsJSON();
    },
    contentType: registry.contentType,
  };
}
