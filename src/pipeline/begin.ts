import type { CheckDocument, CheckedDocument } from '../documents/check.ts';
import type { Sender } from '../documents/documents.ts';
import { beginSlice, endSliceNow, isBusy, turnOf } from '../graph/time-slices.ts';
import type { Resources, ResourceLimits, Turns } from '../graph/resources.ts';
import type { Context, Gateway } from '../graph/context.ts';
import type { Maybe } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Spender, startOperation } from '../usage/operation.ts';
import type { OperationRequest } from './request.ts';

/** How an operation begins. */

export interface Around {
  gateway: Gateway;
  settings: ResourceLimits & { maxRequestsPerOperation: number; operationTimeoutMs: number };
}

/** Shorter texts are checked within a few milliseconds. */
const LONG = 2048;

interface Checking {
  checkDocument: CheckDocument;
  turns: Turns;
}

/** A long text is checked in turn with what others want; while the process is busy, any that is new is. */
export function checkInTurn(
  { checkDocument, turns }: Checking,
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
  return isBusy(turns) || text.length >= LONG ? turnOf(resources).then(check) : check();
}

export const senderOf = ({ clientName, client }: OperationRequest): Sender => ({
  clientName,
  persistedOnly: client?.persistedOnly ?? false,
});

/** The context of a new operation. */
export function begin(
  { gateway, settings }: Around,
  { party, isDry, caller }: Pick<OperationRequest, 'party' | 'isDry' | 'caller'>,
  {
    resources,
    spender,
    trace,
  }: { resources: Resources; spender: Spender; trace: Trace | undefined },
): Context {
  const { maxRequestsPerOperation: maxRequests, operationTimeoutMs } = settings;
  const deadline = gateway.monotonic() + operationTimeoutMs;
  const estimate = isDry ? startEstimate() : undefined;
  const operation = startOperation({ party, spender, trace, maxRequests, deadline, estimate });
  return { gateway, operation, resources, whenRevoked: caller?.whenRevoked };
}
