/**
 * Traces, as far as those know them who work on an operation. Spans are made and sent by
 * observe/tracing.ts, which is loaded only where somebody wants them; below it nobody knows how.
 */

/** What is recorded of one operation. There is none for an operation that is not recorded. */
export interface Trace {
  /** 32 hexadecimal digits: shared with the client where that has sent its own. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the operation's own. */
  readonly spanId: string;
  /** Notes that the operation waits for a request which `owner` has started. */
  join(owner: Trace): void;
  /** Adds something that the operation has done, and that is over. */
  add(part: TracedPart): void;
  /** The operation is over. To be called once, last. */
  end(outcome: TracedOutcome): void;
}

/** Attributes without a value are left out. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface TracedOutcome {
  name: string;
  attributes: TraceAttributes;
  /** What has failed, e.g. the code of an error; undefined: nothing. */
  failure?: string | undefined;
}

interface TracedPart extends TracedOutcome {
  /** By the clock of `performance.now()`. */
  startedAt: number;
  endedAt: number;
}

/** Headers, among which a client sends its own trace: `traceparent` and `tracestate` (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, unknown>>;

/** The standard lets no client count on more of its trace than this (W3C Trace Context, section 3.3.1.5). */
const MAX_TRACE_HEADER = 512;

/** Just these two, of all that was sent: so little may be kept for as long as an operation is open. */
export function traceHeadersIn({ traceparent, tracestate }: TraceHeaders): TraceHeaders {
  return { traceparent: shortText(traceparent), tracestate: shortText(tracestate) };
}

const shortText = (value: unknown) =>
  typeof value === 'string' && value.length <= MAX_TRACE_HEADER ? value : undefined;

/**
 * Begins to record an operation that somebody asks for, or a poll, for which nobody does. Undefined where
 * it is not recorded.
 */
export type BeginTrace = (kind: 'operation' | 'poll', sent?: TraceHeaders) => Trace | undefined;
