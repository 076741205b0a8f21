import type { Sender } from '../documents/documents.ts';
import { beginStretch, type Budget, type BudgetLimits, endStretchNow } from '../graph/budget.ts';
import type { Context, Gateway } from '../graph/context.ts';
import type { Maybe } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, type Spender, startOperation, whenDone } from '../usage/operation.ts';
import type { OperationRequest } from './request.ts';

/** How an operation begins and ends. */

export interface Around {
  gateway: Gateway;
  settings: BudgetLimits & { maxRequestsPerOperation: number; operationTimeoutMs: number };
}

/** Books how long a task takes. */
export function timed<T>(budget: Budget, task: () => T): T {
  beginStretch(budget);
  const result = task();
  endStretchNow(budget);
  return result;
}

export const senderOf = ({ clientName, client }: OperationRequest): Sender => ({
  clientName,
  persistedOnly: client?.persistedOnly ?? false,
});

/** The context of a new operation. */
export function begin(
  { gateway, settings }: Around,
  { party, client, isDry, caller }: OperationRequest,
  { budget, ...about }: { budget: Budget; spender: Spender; trace: Trace | undefined },
): Context {
  const { maxRequestsPerOperation: maxRequests, operationTimeoutMs } = settings;
  const deadline = gateway.monotonic() + operationTimeoutMs;
  const estimate = isDry ? startEstimate() : undefined;
  const maxUnits = client?.maxUnitsPerOperation;
  const operation = startOperation({ maxRequests, maxUnits, deadline, estimate, party, ...about });
  return { gateway, operation, budget, whenRevoked: caller?.whenRevoked };
}

/** A field may have failed while another request that the operation started is still on its way. */
export function settled(operation: Operation): Maybe<void> {
  return operation.underWay.size > 0 ? whenDone(operation) : undefined;
}
