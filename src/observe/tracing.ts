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
import type { BeginTrace, Trace, TraceAttributes, TraceHeaders } from '../trace.ts';
import { samplerOf } from './sampler.ts';

/**
 * Makes spans and sends them to a collector (OTLP over HTTP, as JSON). This file alone knows OpenTelemetry's
 * SDK; it is loaded only where a collector is configured. Nothing waits for it, but for a while its end.
 */
export interface Tracing {
  begin: BeginTrace;
  /** Sends what is left, for `graceMs` at most, or half a second. */
  close(graceMs: number): Promise<void>;
}

export interface TracingOptions extends TracingConfig {
  endpoint: string;
  /** Told when spans cannot be delivered, and when they can be again. */
  onTrouble: OnTrouble;
}

type TracingConfig = Config['tracing'];

/** For one export with its repetitions: a longer one would hold up a process that stops. */
const EXPORT_MS = 2000;
/** At the end there is at least so much time to send what is left, even where nothing is left of `graceMs`. */
const CLOSE_MS = 500;
/** More finished spans than this do not wait: they are dropped. */
const MAX_WAITING = 8192;

export function createTracing(options: TracingOptions): Tracing {
  const { endpoint: url, headers = {}, serviceName, resource = {}, onTrouble } = options;
  const service = serviceName ?? resource['service.name'] ?? 'marketgraph';
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_MS });
  const { sampler, isOffByDefault } = samplerOf(options);
  const batches = new BatchSpanProcessor({
    exporter: watched(exporter, onTrouble),
    maxQueueSize: MAX_WAITING,
    exportTimeoutMillis: EXPORT_MS,
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
      // Not even a number is drawn for what nobody wants.
      if (!parent && isOffByDefault) return undefined;
      const spanKind = kind === 'operation' ? SpanKind.SERVER : SpanKind.INTERNAL;
      const span = tracer.startSpan(kind, { kind: spanKind }, parent ?? ROOT_CONTEXT);
      return span.isRecording() ? traceOf(span) : undefined;
    },
    close: (graceMs) =>
      waitAtMost(
        Math.max(CLOSE_MS, graceMs),
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
        const from = {
          kind: SpanKind.CLIENT,
          startTime: startedAt,
          attributes: present(attributes),
        };
        const part = tracer.startSpan(name, from, within);
        if (failure !== undefined) part.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        part.end(endedAt);
      },
      end({ name, attributes, failure }) {
        span.updateName(name).setAttributes(present(attributes));
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.end();
      },
    };
  }
}

const linkTo = ({ traceId, spanId }: Trace): Link => ({
  context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED },
  attributes: { 'marketgraph.link': 'joined' },
});

/** The client's span, where its headers name one. */
function parentIn({ traceparent, tracestate }: TraceHeaders): Context | undefined {
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  if (!parent) return undefined;
  // No key is ever sent on, wherever somebody puts it.
  const mayPass = typeof tracestate === 'string' && !containsKey(tracestate);
  const traceState = mayPass ? new TraceState(tracestate) : undefined;
  return api.setSpanContext(ROOT_CONTEXT, {
    ...parent,
    isRemote: true,
    ...(traceState && { traceState }),
  });
}

function present(attributes: TraceAttributes) {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** The same exporter, which tells once when it cannot deliver, and once when it can again. */
function watched(exporter: SpanExporter, { begins, ends }: OnTrouble) {
  let isTold = false;
  function note(error: Error | undefined): void {
    const isTrouble = error !== undefined;
    if (isTrouble === isTold) return;
    isTold = isTrouble;
    if (error) begins(reasonOf(error));
    else ends();
  }
  return {
    export: ((spans, callback) =>
      exporter.export(spans, (result) => {
        note(
          result.code === ExportResultCode.SUCCESS
            ? undefined
            : (result.error ?? new Error('not accepted')),
        );
        callback(result);
      })) satisfies SpanExporter['export'],
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** A code or a name where they tell anything: messages may hold what the collector has answered. */
const reasonOf = (error: Error): string =>
  errorCode(error) ?? (error.name === 'Error' ? error.message : error.name);
