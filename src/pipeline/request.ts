import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Caller } from '../clients/authenticator.ts';
import type { Client } from '../clients/file.ts';
import type { HttpHints } from '../documents/refusals.ts';
import type { Parameters } from '../documents/parameters.ts';
import type { Meter } from '../meters.ts';
import type { Trace, TraceHeaders } from '../trace.ts';
import type { Operation, Served } from '../usage/operation.ts';
import type { CompressedHeads } from './compression.ts';
import type { RequestKey } from './request-key.ts';

/** What goes into the pipeline and what comes out of it, whichever transport it came in by. */

/** One operation that somebody asks for. */
export interface OperationRequest {
  /** Undefined: nothing kept may answer it. */
  key: RequestKey | undefined;
  /** Reads what was sent; not called where a kept answer serves. Throws GraphQLError. */
  read(): Parameters;
  /** GET must not change anything, and everybody in between may keep its answer. */
  method: 'GET' | 'POST';
  /** What the client calls itself: some listed operations are for one client only. */
  clientName: string | undefined;
  /** Whose turn it takes, and whose share of what is kept: a client by its name, or an address. */
  party: string;
  /** Who asks, where clients have names. */
  client: Client | undefined;
  /** Tells what becomes of that client later: a stream may last for days, in which the file of clients changes. */
  caller: Caller | undefined;
  /** A dry run: nothing is sent upstream, and the account holds an estimate. */
  isDry: boolean;
  /** What the client would have to accept to be sent events, and does not; undefined: it can be sent them. */
  eventsNeed: string | undefined;
  /** When it arrived, by the clock of `performance.now()`; undefined: now. */
  arrivedAt?: number | undefined;
  /** The headers, among which a client may have sent its own trace. */
  traceHeaders: TraceHeaders | undefined;
  /** JSON text of this media type, or an object for a transport with a format of its own. */
  format: { mediaType: string } | 'object';
}

/** A single result as JSON text, in two pieces: the data are the same for all who ask, the account is not. */
export interface TextReply {
  kind: 'text';
  /** The response's JSON up to the end of its `data`; '' once it has been sent. */
  head: Buffer | string;
  /** The rest of it: the account. */
  tail: string;
  /** Both in one piece, where that is kept. */
  whole?: () => Buffer | undefined;
  /** `head`, compressed, where that is kept. */
  compressed: CompressedHeads | undefined;
  mediaType: string;
  etag: string | undefined;
  /** How long the data are fresh from now on; -Infinity: for this moment only. */
  freshForMs: number;
  /** Units that the operation spent, by meter. */
  used: Readonly<Record<Meter, number>>;
  http: HttpHints | undefined;
}

/** A single result with its account among the extensions. */
export interface ObjectReply {
  kind: 'object';
  result: ExecutionResult;
  freshForMs: number;
}

/** The results of a subscription, each with its own account. */
export interface EventsReply {
  kind: 'events';
  events: AsyncIterableIterator<ExecutionResult>;
}

/** An operation that was not let in, since there are too many; nothing was read of it. */
export interface RefusedReply {
  kind: 'refused';
  error: GraphQLError;
  /** The response's JSON. */
  text: string;
}

export type Reply = TextReply | ObjectReply | EventsReply | RefusedReply;

export type OperationType = 'query' | 'mutation' | 'subscription';

/** What is known of an operation when it is over. */
export interface OperationEnd {
  /** How it was answered; every event of a subscription is an operation of its own. */
  by: 'kept answer' | 'execution' | 'refusal' | 'overload';
  /** Undefined where none was found. */
  type?: OperationType | undefined;
  /** The operation's name in its document; undefined where it has none, or none was found. */
  name?: string | undefined;
  /** Who asked, where clients have names. */
  client?: string | undefined;
  /** What it used and spent; undefined where nothing was executed. */
  operation?: Operation | undefined;
  /** The questions that it answered. */
  served: readonly Served[];
  /** Questions that were answered out of the cache. */
  hits: number;
  /** Questions that waited for a request which another operation had started. */
  joined: number;
  /** Undefined where it is not recorded; to be ended by one of those who are told. */
  trace?: Trace | undefined;
  errors: readonly GraphQLError[];
  /** Both by the clock of `performance.now()`. */
  startedAt: number;
  endedAt: number;
  /** When it ended, by the wall clock. */
  at: number;
}

/** Called once for every operation when it is over, however it ended. */
export type ObserveOperation = (end: OperationEnd) => void;

/** Called each time that a certain kept answer has been sent to a certain client. */
export type ObserveRepeat = (startedAt: number) => void;

/** Who is told of operations when they are over. */
export interface OperationObserver {
  ended: ObserveOperation;
  /**
   * Most operations are sent an answer that was kept, and differ in nothing but their time: what is to be known of
   * them is worked out once for each answer and client.
   */
  repeats(first: OperationEnd): ObserveRepeat;
}
