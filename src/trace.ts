/**
 * Traces, as seen by the code that works on an operation. Spans are created and exported by observe/tracing.ts, which
 * is loaded only if traces are wanted; no other code depends on how that is done.
 */

/** The record of one operation. An operation that is not recorded has none. */
export interface Trace {
  /** 32 hexadecimal digits; the client's trace id if it has sent one. */
  readonly traceId: string;
  /** 16 hexadecimal digits; the operation's own id. */
  readonly spanId: string;
  /** Notes that the operation waits for a request that `owner` has started. */
  join(owner: Trace): void;
  /** Adds a completed part of the operation. */
  add(part: TracedPart): void;
  /** Ends the record. Call it once, last. */
  end(outcome: TracedOutcome): void;
}

/** Attributes without a value are left out. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface TracedOutcome {
  name: string;
  attributes: TraceAttributes;
  /** What failed, e.g. the code of an error; undefined: nothing did. */
  failure?: string | undefined;
}

interface TracedPart extends TracedOutcome {
  /** By the clock of `performance.now()`. */
  startedAt: number;
  endedAt: number;
}

/** Request headers, by which a client may send its own trace: `traceparent` and `tracestate` (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, unknown>>;

/** Maximum length of a trace header: the standard guarantees clients no more (W3C Trace Context, section 3.3.1.5). */
const MAX_TRACE_HEADER_LENGTH = 512;

/** Picks the two headers of a trace from all that were sent, so that little is kept while an operation is open. */
export function traceHeadersIn({ traceparent, tracestate }: TraceHeaders): TraceHeaders {
  return { traceparent: shortText(traceparent), tracestate: shortText(tracestate) };
}

const shortText = (value: unknown) =>
  typeof value === 'string' && value.length <= MAX_TRACE_HEADER_LENGTH ? value : undefined;

/** Begins to record a client's operation, or a poll, which has no client. Undefined if it is not recorded. */
export type BeginTrace = (kind: 'operation' | 'poll', sent?: TraceHeaders) => Trace | undefined;
