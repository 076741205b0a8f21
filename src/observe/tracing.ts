import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as api,
  TraceFlags,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { containsKey } from '../clients/key-shape.ts';
import type { Config } from '../config.ts';
import { errorCode } from '../maybe.ts';
import type { OnTrouble } from '../shared/trouble.ts';
import { waitAtMost } from '../shared/waiting.ts';
import type { BeginTrace, Trace, TraceHeaders } from '../trace.ts';
import { samplerOf } from './sampler.ts';

/**
 * Makes spans and sends them to a collector (OTLP over HTTP, as JSON). Only this file knows OpenTelemetry's
 * SDK; it is loaded only if a collector is configured. Nothing waits for it, except for a while when it closes.
 */
export interface Tracing {
  begin: BeginTrace;
  /** Sends what is left, within `graceMs` or half a second, whichever is longer. */
  close(graceMs: number): Promise<void>;
}

interface TracingOptions extends Omit<Config['tracing'], 'endpoint'> {
  endpoint: string;
  /** Called when spans cannot be delivered, and when they can be again. */
  onTrouble: OnTrouble;
}

/** Timeout of one export with its retries: a longer one would hold up a process that stops. */
const EXPORT_TIMEOUT_MS = 2000;
/** Minimum time to send what is left when closing, even if nothing is left of `graceMs`. */
const MIN_CLOSE_MS = 500;
/** Maximum number of finished spans in the queue; further ones are dropped. */
const MAX_QUEUED_SPANS = 8192;
/** Maximum number of spans in one export. */
const MAX_BATCH = 512;

export function createTracing(options: TracingOptions): Tracing {
  const { endpoint: url, headers, serviceName, resource, onTrouble } = options;
  const service = serviceName ?? resource['service.name'] ?? 'marketgraph';
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS });
  const { sampler, isOffByDefault } = samplerOf(options);
  const watch = watched(exporter, onTrouble);
  const batches = new BatchSpanProcessor({
    exporter: watch,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const about = resourceFromAttributes({ ...resource, 'service.name': service });
  const provider = new TracerProvider({
    resource: defaultResource().merge(about),
    sampler,
    spanProcessors: [batches],
  });
  const tracer = provider.getTracer('marketgraph');

  return {
    begin(kind, sent) {
      const parent = sent?.['traceparent'] === undefined ? undefined : parentIn(sent);
      // Not even a random number is drawn for a span that nobody wants.
      if (!parent && isOffByDefault) return undefined;
      const spanKind = kind === 'operation' ? SpanKind.SERVER : SpanKind.INTERNAL;
      const span = tracer.startSpan(kind, { kind: spanKind }, parent ?? ROOT_CONTEXT);
      return span.isRecording() ? traceOf(span) : undefined;
    },
    close: (graceMs) =>
      waitAtMost(
        Math.max(MIN_CLOSE_MS, graceMs),
        provider.shutdown().catch(() => undefined),
      ),
  };

  function traceOf(span: Span): Trace {
    const { traceId, spanId } = span.spanContext();
    const joined = new Set<string>();
    return {
      traceId,
      spanId,
      join(owner) {
        if (joined.has(owner.spanId)) return;
        joined.add(owner.spanId);
        span.addLink(linkTo(owner));
      },
      add({ name, attributes, failure, startedAt, endedAt }) {
        const within = api.setSpan(ROOT_CONTEXT, span);
        const from = { kind: SpanKind.CLIENT, startTime: startedAt, attributes };
        const part = tracer.startSpan(name, from, within);
        if (failure !== undefined) part.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        part.end(endedAt);
        watch.noteEnded();
      },
      end({ name, attributes, failure }) {
        span.updateName(name).setAttributes(attributes);
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.end();
        watch.noteEnded();
      },
    };
  }
}

const linkTo = ({ traceId, spanId }: Trace): Link => ({
  context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED },
  attributes: { 'marketgraph.link': 'joined' },
});

/** Returns the client's span, if its headers name one. */
function parentIn({ traceparent, tracestate }: TraceHeaders): Context | undefined {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  if (!parent) return undefined;
  // A key is never sent on, wherever a client puts it.
  const mayPass = typeof tracestate === 'string' && !containsKey(tracestate);
  const traceState = mayPass ? new TraceState(tracestate) : undefined;
  return api.setSpanContext(ROOT_CONTEXT, {
    ...parent,
    isRemote: true,
    ...(traceState && { traceState }),
  });
}

/**
 * Wraps the exporter so that it reports once when it cannot deliver, or not fast enough, and once when it can again.
 * `noteEnded` is to be called for each span that is to be delivered.
 */
function watched(exporter: SpanExporter, { begins, ends }: OnTrouble) {
  let isReported = false;
  /** Spans that have ended and are not exported, including those that were dropped. */
  let waiting = 0;
  let isDropping = false;
  function note(reason: string | undefined): void {
    const isTrouble = reason !== undefined;
    if (isTrouble === isReported) return;
    isReported = isTrouble;
    if (isTrouble) begins(reason);
    else ends();
  }
  return {
    noteEnded() {
      waiting += 1;
      if (waiting <= MAX_QUEUED_SPANS + MAX_BATCH) return;
      isDropping = true;
      note('the collector is too slow: spans are dropped');
    },
    export: ((spans, callback) => {
      // A batch that is not full empties the queue: what is still missing was dropped.
      if (spans.length < MAX_BATCH) [waiting, isDropping] = [0, false];
      else waiting -= spans.length;
      exporter.export(spans, (result) => {
        const { code, error = new Error('not accepted') } = result;
        if (code !== ExportResultCode.SUCCESS) note(reasonOf(error));
        else if (!isDropping) note(undefined);
        callback(result);
      });
    }) satisfies SpanExporter['export'],
    shutdown: () => exporter.shutdown(),
  };
}

/** Returns a code or a name if they tell anything: messages may hold what the collector has answered. */
const reasonOf = (error: Error): string =>
  errorCode(error) ?? (error.name === 'Error' ? error.message : error.name);
