import * as graphql from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { type Maybe, whenReady } from '../graph/maybe.ts';
import { type Projected, withProjections } from './document.ts';
import { JsonText, textOf } from './json-text.ts';
import { Irregular, type Projections, withTwins } from './twins.ts';

/**
 * Runs operations with graphql-js, which is spared what can be read off the objects that resolvers
 * give: in the result of such an operation `data` are a JsonText.
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
      // All that was loaded is remembered by the operation's loaders: nothing is asked twice.
      if (result.errors?.some(isIrregular)) return graphql.execute(args);
      const { data } = result;
      return data ? { ...result, data: new JsonText(textOf(data, shape)) } : result;
    });
  };
}

function isIrregular({ originalError }: graphql.GraphQLError): boolean {
  return originalError instanceof Irregular;
}
