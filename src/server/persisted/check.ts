import { GraphQLError, type GraphQLSchema, Kind } from 'graphql';
import { parseDocument } from '../parse.ts';
import { errorsIn } from '../size.ts';

/** What is known of a text. */
export interface Check {
  /** The name of its operation. */
  name?: string | undefined;
  /** Why it cannot be served; undefined: it can. */
  problem?: string;
}

/** Parses and validates a document, which must hold exactly one operation. */
export function checkDocument(schema: GraphQLSchema, text: string): Check {
  try {
    const document = parseDocument(text);
    const operations = document.definitions.filter(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const name = operations[0]?.name?.value;
    if (operations.length !== 1)
      return { name, problem: `has ${operations.length || 'no'} operations in its body, not one` };
    const error = errorsIn(schema, document)[0];
    return { name, ...(error && { problem: reasonOf(error) }) };
  } catch (error) {
    return { problem: error instanceof GraphQLError ? reasonOf(error) : String(error) };
  }
}

function reasonOf({ message, locations }: GraphQLError): string {
  const at = locations?.[0];
  return at ? `${message} (line ${at.line}, column ${at.column})` : message;
}
