import * as graphql from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { twinOf } from '../graph/lookahead.ts';
import { type Maybe, whenReady } from '../graph/maybe.ts';
import { type Projected, withProjections } from './document.ts';
import { JsonText, textOf } from './json-text.ts';
import { Irregular, type Projections, withTwins } from './twins.ts';

/**
 * Most of an answer is read off objects that are here: no arguments, no waiting, nothing that could
 * depend on anything else. Such a selection is a projection, worked out once for each document.
 *
 * Runs operations with graphql-js, which is spared the projections: their objects become JSON at
 * once, and in the result of such an operation `data` are a JsonText.
 */
export function createExecute(schema: GraphQLSchema) {
  const projections: Projections = new WeakMap();
  const twins = withTwins(schema, projections);
  const seen = new WeakMap<DocumentNode, Projected | 'as it is'>();

  function projectedOf(document: DocumentNode): Projected | 'as it is' {
    const known = seen.get(document);
    if (known) return known;
    const made = withProjections(document, schema, projections) ?? 'as it is';
    seen.set(document, made);
    return made;
  }

  return (args: ExecutionArgs): Maybe<ExecutionResult> => {
    const projected = projectedOf(args.document);
    if (projected === 'as it is') return graphql.execute(args);
    const { document, shape } = projected;
    return whenReady(graphql.execute({ ...args, schema: twins, document }), (result) => {
      // Loaders remember all that an operation has loaded: nothing is asked for twice.
      if (result.errors?.some(isOfTwin)) return graphql.execute(args);
      const { data } = result;
      return data ? { ...result, data: new JsonText(textOf(data, shape)) } : result;
    });
  };
}

/** A value that cannot be projected, or a message that names a twin, which no client knows. */
function isOfTwin({ originalError, message }: graphql.GraphQLError): boolean {
  return originalError instanceof Irregular || message.includes(twinOf(''));
}
