import {
  type DocumentNode,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { isKeyShape } from '../clients/key-shape.ts';
import type { CheckedDocument } from '../documents/check.ts';
import * as refusals from '../documents/refusals.ts';
import type { OperationRequest, OperationType } from './request.ts';

/** Which operations may run. */

interface Asked {
  operationName: string | null | undefined;
  variableValues: Readonly<Record<string, unknown>> | null | undefined;
}

/** An operation that may run. */
interface Admitted {
  document: DocumentNode;
  type: OperationType;
  name: string | undefined;
}

/**
 * The limits: lets an operation pass that fits the schema, is not too large, and whose result can be
 * sent to its client. Throws GraphQLError or Refused for any other.
 */
export function admit(
  { document, errors, checkSize }: CheckedDocument,
  { operationName, variableValues }: Asked,
  { method, isDry, eventsNeed }: OperationRequest,
): Admitted {
  const operation = document && getOperationAST(document, operationName);
  const kind = operation?.operation;
  if (method === 'GET' && kind === OperationTypeNode.MUTATION) throw refusals.mutationByGet();
  if (!document || errors.length > 0) throw new refusals.Refused(errors);
  if (!operation) throw refusals.unknownOperation();
  const tooLarge = checkSize?.(operation, variableValues);
  if (tooLarge) throw refusals.coded('OPERATION_TOO_LARGE', tooLarge);
  const isSubscription = kind === OperationTypeNode.SUBSCRIPTION;
  if (isSubscription && eventsNeed) throw refusals.notAcceptable('A subscription', [eventsNeed]);
  if (isSubscription && isDry)
    throw refusals.noDryRun('A subscription has no end, and so no price');
  return { document, type: operation.operation, name: nameOf(operation) };
}

/** Names are logged and stored, which no key ever is, wherever somebody puts it. */
function nameOf({ name }: OperationDefinitionNode): string | undefined {
  return name && !isKeyShape(name.value) ? name.value : undefined;
}
