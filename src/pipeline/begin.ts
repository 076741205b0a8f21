import type { Client } from '../clients/file.ts';
import type { CheckDocument, CheckedDocument } from '../documents/check.ts';
import { beginSlice, endSliceNow, isBusy, turnOf } from '../graph/time-slices.ts';
import type { Resources } from '../graph/resources.ts';
import type { Context, Gateway } from '../graph/context.ts';
import type { Maybe } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, type Spender, startOperation } from '../usage/operation.ts';
import type { OperationRequest, OperationType } from './request.ts';
import type { RequestKey } from './request-key.ts';

/** How an operation begins, and what is known of it then. */

/** What is known of an operation from the beginning. */
export interface Begun {
  startedAt: number;
  trace: Trace | undefined;
  client: Client | undefined;
}

/** What is known of an operation while it runs, and at its end. */
export interface Run extends Begun {
  type?: OperationType | undefined;
  name?: string | undefined;
  /** Undefined until it runs; a refused operation never does. */
  operation?: Operation | undefined;
  /** The key to keep the answer under; undefined: it must not be kept. */
  key?: RequestKey | undefined;
  /** For a request by id: whether the id still stands for the same text. */
  isSameText?: (() => boolean) | undefined;
}

/** Length, in characters, from which a text is long: shorter ones are checked within a few milliseconds. */
const MIN_LONG_LENGTH = 2048;

/** Checks a text. A new one that is long, or comes while the process is busy, is checked in the operation's turn. */
export function checkInTurn(
  checkDocument: CheckDocument,
  text: string,
  resources: Resources,
): Maybe<CheckedDocument> {
  const known = checkDocument.known(text);
  if (known) return known;
  const check = () => {
    beginSlice(resources);
    const checked = checkDocument(text);
    endSliceNow(resources);
    return checked;
  };
  return isBusy(resources) || text.length >= MIN_LONG_LENGTH
    ? turnOf(resources).then(check)
    : check();
}

/** Creates the context of a new operation. */
export function contextOf(
  gateway: Gateway,
  { party, isDry, caller }: Pick<OperationRequest, 'party' | 'isDry' | 'caller'>,
  {
    resources,
    spender,
    trace,
  }: { resources: Resources; spender: Spender; trace: Trace | undefined },
): Context {
  const { maxRequestsPerOperation: maxRequests, operationTimeoutMs } = gateway.settings;
  const deadline = gateway.monotonic() + operationTimeoutMs;
  const estimate = isDry ? startEstimate() : undefined;
  const operation = startOperation({ party, spender, trace, maxRequests, deadline, estimate });
  return { gateway, operation, resources, whenRevoked: caller?.whenRevoked };
}
