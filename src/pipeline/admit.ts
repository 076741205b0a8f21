import { type DocumentNode, getOperationAST, GraphQLError, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { CheckedDocument } from '../documents/check.ts';
import * as refusals from '../documents/refusals.ts';
import type { OperationRequest } from './request.ts';

/** An operation that may run. */
export interface Admitted {
  document: DocumentNode;
  isSubscription: boolean;
  name: string | undefined;
}

/**
 * Lets an operation pass that fits the schema, is not too large, and whose result its client can be
 * sent. Throws GraphQLError or Refused for any other: nothing has been spent by then.
 */
export function admit(
  { document, errors }: CheckedDocument,
  operationName: string | null | undefined,
  { method, isDry, eventsNeed }: OperationRequest,
): Admitted {
  const operation = document && getOperationAST(document, operationName);
  const kind = operation?.operation;
  if (method === 'GET' && kind === OperationTypeNode.MUTATION) throw refusals.mutationByGet();
  if (!document || errors.length > 0) throw new refusals.Refused(errors);
  if (!operation) throw refusals.unknownOperation();
  const isSubscription = kind === OperationTypeNode.SUBSCRIPTION;
  if (isSubscription && eventsNeed) throw refusals.notAcceptable('A subscription', [eventsNeed]);
  if (isSubscription && isDry)
    throw refusals.noDryRun('A subscription has no end, and so no price');
  return { document, isSubscription, name: operation.name?.value };
}

/** What a client is told of a request that failed as a whole; what is not its business goes to the log. */
export function errorsOf(error: unknown, log: Logger): readonly GraphQLError[] {
  if (error instanceof refusals.Refused) return error.errors;
  if (error instanceof GraphQLError) return [error];
  log.error({ err: error }, 'unexpected error');
  return [refusals.unexpected()];
}
