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

/** What goes into the pipeline and what comes out of it, whatever the transport. */

/** A request for one operation. */
export interface OperationRequest {
  /** Undefined: it must not be answered with a kept answer. */
  key: RequestKey | undefined;
  /** Reads what was sent; not called if there is a kept answer. Throws GraphQLError. */
  read(): Parameters;
  /** A GET must not change anything, and shared caches may keep its answer. */
  method: 'GET' | 'POST';
  /** What the client calls itself: some listed operations are for one client only. */
  clientName: string | undefined;
  /** The party whose turns and shares it takes: the name of a client, or an address. */
  party: string;
  /** Who asks, if clients have names. */
  client: Client | undefined;
  /** Follows later changes to that client: a stream may last for days, during which the clients file may change. */
  caller: Caller | undefined;
  /** A dry run: nothing is sent upstream, and the account holds an estimate. */
  isDry: boolean;
  /** The media type that the client would have to accept to get events, but does not; undefined: it can get them. */
  requiredEventType: string | undefined;
  /** When it arrived, by `performance.now()`; undefined: now. */
  arrivedAt?: number | undefined;
  /** Headers that may contain the client's own trace. */
  traceHeaders: TraceHeaders;
  /** What to reply: JSON text of this media type, or an object, for a transport that has a format of its own. */
  format: { mediaType: string } | 'object';
}

/** A single result as JSON text, in two pieces: the data are the same for all clients, the account is not. */
export interface TextReply {
  kind: 'text';
  /** The response's JSON up to the end of its `data`; may be '' once it has been sent or compressed. */
  head: Buffer | string;
  /** The rest of the JSON: the account. */
  tail: string;
  /** Returns both in one piece, if that is kept. */
  whole?: () => Buffer | undefined;
  /** Returns `head` compressed; undefined unless the answer is kept. */
  compressed: CompressedHeads | undefined;
  mediaType: string;
  etag: string | undefined;
  /** How long the data are fresh from now on; -Infinity: they hold for this moment only. */
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

/** The refusal of an operation because too many are under way; nothing of it was read. */
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
  /** How it was answered. Every event of a subscription is an operation of its own. */
  by: 'kept answer' | 'execution' | 'refusal' | 'overload';
  /** Undefined if no operation was found. */
  type?: OperationType | undefined;
  /** The operation's name in its document; undefined if it has none, or no operation was found. */
  name?: string | undefined;
  /** Who asked, if clients have names. */
  client?: string | undefined;
  /** What it used and spent; undefined if nothing was executed. */
  operation?: Operation | undefined;
  /** The cache lookups that went into the answer. */
  served: readonly Served[];
  /** How many lookups were cache hits. */
  hits: number;
  /** How many lookups waited for a request that another operation had started. */
  joined: number;
  /** Undefined if it is not recorded. One of the observers has to end it. */
  trace?: Trace | undefined;
  errors: readonly GraphQLError[];
  /** Both by `performance.now()`. */
  startedAt: number;
  endedAt: number;
  /** When it ended, by the wall clock. */
  at: number;
}

/** Called once for every operation when it is over, however it ended. */
export type ObserveOperation = (end: OperationEnd) => void;

/** Called each time a particular kept answer has been sent to a particular client. */
export type ObserveRepeat = (startedAt: number) => void;

/** Observes operations when they are over. */
export interface OperationObserver {
  ended: ObserveOperation;
  /**
   * Returns what to call for further operations like `first`. Most operations get a kept answer and differ only in
   * their times: everything else is worked out once for each answer and client.
   */
  repeats(first: OperationEnd): ObserveRepeat;
}
