import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { containsKey } from '../clients/key-shape.ts';
import type { CheckedDocument } from '../documents/check.ts';
import type { Parameters } from '../documents/parameters.ts';
import * as refusals from '../documents/refusals.ts';
import type { Variables } from '../documents/sizes.ts';
import type { OperationRequest, OperationType } from './request.ts';

/** Which operations may run. */

/** An operation that may run. */
export interface Admitted {
  document: DocumentNode;
  type: OperationType;
  name: string | undefined;
  /** The name that was sent to select it in its document. */
  operationName: string | undefined;
  /** The variables that it declares. */
  variableValues: Variables | undefined;
}

/**
 * Admits an operation that fits the schema, is not too large, and has a result that can be sent to its
 * client. Throws GraphQLError or Refused for any other.
 */
export function admit(
  { document, errors, checkSize }: CheckedDocument,
  sent: Pick<Parameters, 'operationName' | 'variables'>,
  { method, isDry, requiredEventType }: OperationRequest,
  text: string,
): Admitted {
  // An empty name counts as none, as in a query string.
  const operationName = sent.operationName || undefined;
  const operation = document && getOperationAST(document, operationName);
  const kind = operation?.operation;
  if (method === 'GET' && kind === OperationTypeNode.MUTATION) throw refusals.mutationByGet();
  if (!document || errors.length > 0) throw new refusals.Refused(errors);
  if (!operation) throw refusals.unknownOperation();
  const tooLarge = checkSize?.(operation, sent.variables);
  if (tooLarge) throw refusals.coded('OPERATION_TOO_LARGE', tooLarge);
  const isSubscription = kind === OperationTypeNode.SUBSCRIPTION;
  if (isSubscription && requiredEventType)
    throw refusals.notAcceptable('A subscription', [requiredEventType]);
  if (isSubscription && isDry)
    throw refusals.noDryRun('A subscription has no end, so it has no price');
  const variableValues = declaredVariables(operation, sent.variables);
  if (isSubscription) checkSubscription(text, variableValues);
  const type = operation.operation;
  return { document, type, name: nameOf(operation), operationName, variableValues };
}

/** Drops variables that are not declared: they would be kept for as long as the operation runs. */
function declaredVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables | null | undefined,
): Variables | undefined {
  if (!variables) return undefined;
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  const sent = names.filter((name) => Object.hasOwn(variables, name));
  return Object.fromEntries(sent.map((name) => [name, variables[name]]));
}

/** Maximum bytes of the text and variables of a subscription, which are kept for each one that is open. */
const MAX_SUBSCRIPTION_BYTES = 32_768;

function checkSubscription(text: string, variables: Variables = {}): void {
  const bytes = Buffer.byteLength(text + JSON.stringify(variables));
  if (bytes <= MAX_SUBSCRIPTION_BYTES) return;
  const message = `The subscription has ${bytes} bytes including its variables; at most ${MAX_SUBSCRIPTION_BYTES} are allowed.`;
  throw refusals.coded('OPERATION_TOO_LARGE', new GraphQLError(message));
}

/** Returns undefined for a name that contains a key: names are logged and stored, and keys must never be. */
function nameOf({ name }: OperationDefinitionNode): string | undefined {
  return name && !containsKey(name.value) ? name.value : undefined;
}
