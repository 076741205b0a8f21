import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Gateway } from '../graph/context.ts';
import type { ObserveOperation } from '../pipeline/request.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { describeGateway } from './gateway-metrics.ts';
import { observeReplies, type ObserveReply } from './http-metrics.ts';
import { observeOperations } from './operation-metrics.ts';
import { observeRequests } from './request-metrics.ts';

/** What Prometheus reads (docs/metrics.md). Each label has few values, however many clients ask for what. */
export interface Metrics {
  observeOperation: ObserveOperation;
  observeRequest(end: RequestEnd): void;
  observeReply: ObserveReply;
  /** The gateway is open: from now on its own state is told, too. */
  describe(gateway: Gateway): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    observeOperation: observeOperations(registry),
    observeRequest: observeRequests(registry),
    observeReply: observeReplies(registry),
    describe: (gateway) => describeGateway(registry, gateway),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
