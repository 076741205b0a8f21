import {
  createSourceEventStream,
  type DocumentNode,
  execute as executeOperation,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  validateSubscriptionArgs,
} from 'graphql';
import { coded } from '../documents/refusals.ts';
import { beginSlice, endSliceNow, isBusy, turnOf } from '../graph/time-slices.ts';
import type { Resources } from '../graph/resources.ts';
import type { Context } from '../graph/context.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { withCompiledSelections } from './compiler/execute.ts';
import { guardSchema } from './guard.ts';
import { inPieces } from './pieces.ts';

/** Runs operations with graphql-js. Their documents fit the schema; variables are checked here. */
export interface Execution {
  /** Runs a query. A result without data means that it has not run: its variables were wrong. */
  execute(args: OperationArgs): Maybe<ExecutionResult>;
  /** Starts a subscription. Returns the values that its events are made of, or the errors that prevent them. */
  subscribe(args: OperationArgs): Promise<AsyncIterator<unknown> | ExecutionResult>;
  /** Makes one event of the value in `rootValue`. */
  executeEvent(args: OperationArgs): Maybe<ExecutionResult>;
}

/** What is executed, and its context, whose resources limit it. */
type OperationArgs = Omit<ExecutionArgs, 'schema' | 'contextValue'> & { contextValue: Context };

interface ExecutionOptions {
  schema: GraphQLSchema;
  /** Whether selections that only read objects are written directly as JSON, which is faster for lists. */
  compile: boolean;
}

export function createExecution({ schema: original, compile }: ExecutionOptions): Execution {
  const schema = guardSchema(original);
  const execute = compile ? withCompiledSelections(original, executeOperation) : executeOperation;

  /** Runs a task at once, or in the operation's turn if the process is busy. */
  function run(resources: Resources, task: () => Maybe<ExecutionResult>): Maybe<ExecutionResult> {
    // Checking its document may have used them up.
    if (resources.error) return refusal(resources.error);
    if (!isBusy(resources)) return runWithin(resources, task);
    return turnOf(resources).then(() => runWithin(resources, task));
  }

  return {
    execute(args) {
      const { resources } = args.contextValue;
      resources.asksAboutSchema = asksAboutSchema(args.document);
      return run(resources, () => whenReady(execute({ ...args, schema }), codeVariableErrors));
    },
    async subscribe(args) {
      const validated = validateSubscriptionArgs({ ...args, schema });
      if (!('schema' in validated)) return codeVariableErrors({ errors: validated });
      const stream = await createSourceEventStream(validated);
      if (!(Symbol.asyncIterator in stream)) return codeVariableErrors(stream);
      return stream[Symbol.asyncIterator]();
    },
    executeEvent(args) {
      return run(args.contextValue.resources, () => {
        const validated = validateSubscriptionArgs({ ...args, schema });
        return 'schema' in validated ? executeSubscriptionEvent(validated) : { errors: validated };
      });
    },
  };
}

/** Whether an outermost field, of the operation or of a fragment, is `__schema` or `__type`. */
function asksAboutSchema({ definitions }: DocumentNode): boolean {
  const below = ({ selections }: SelectionSetNode): boolean =>
    selections.some((node) =>
      node.kind === Kind.FIELD
        ? node.name.value === '__schema' || node.name.value === '__type'
        : node.kind === Kind.INLINE_FRAGMENT && below(node.selectionSet),
    );
  return definitions.some(
    (one) => 'selectionSet' in one && one.selectionSet && below(one.selectionSet),
  );
}

/** Runs an operation until it is done or its resources are used up, after which none of it continues. */
function runWithin(
  resources: Resources,
  task: () => Maybe<ExecutionResult>,
): Maybe<ExecutionResult> {
  if (!resources.turns) return task();
  beginSlice(resources);
  const outcome = whenReady(task(), (result) => inPieces(result, resources));
  endSliceNow(resources);
  if (resources.error) return refusal(resources.error);
  if (!(outcome instanceof Promise)) return outcome;
  return new Promise((resolve, reject) => {
    // A constant first: V8 would allocate a function written in the assignment in the old generation (CONTRIBUTING.md,
    // style 11).
    const end = (error: GraphQLError) => resolve(refusal(error));
    resources.onExceeded = end;
    outcome.then(resolve, reject);
  });
}

const refusal = (error: GraphQLError): ExecutionResult => ({ data: null, errors: [error] });

function codeVariableErrors(result: ExecutionResult): ExecutionResult {
  if ('data' in result || !result.errors) return result;
  return { ...result, errors: result.errors.map((error) => coded('BAD_USER_INPUT', error)) };
}
