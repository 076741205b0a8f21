import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isPlanned } from '../usage/estimate.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { Operation } from '../usage/operation.ts';
import { type Extensions, extensionsOf, reportHit } from '../usage/report.ts';

/** What every response says beside its data. */
export interface Accounts {
  /** Of an operation with its result, or of a request that was refused before it became one. */
  of(result: ExecutionResult, operation?: Operation): Extensions;
  /** Of an operation that was answered out of `parts` kept pieces. */
  ofKept(parts: number): Extensions;
}

export function createAccounts(ledger: Ledger, sandbox: boolean): Accounts {
  return {
    of(result, operation) {
      // A dry run that was refused has no price: nobody shall read that it costs nothing.
      const hasPrice = 'data' in result || !operation?.estimate;
      return extensionsOf(ledger, hasPrice ? operation : undefined, sandbox);
    },
    ofKept: (parts) => ({ usage: reportHit(ledger, parts), ...(sandbox && { sandbox }) }),
  };
}

/** A result as its client sees it: a dry run shows no data, and nobody sees our own failures. */
export function shown(result: ExecutionResult, { estimate }: Operation, log: Logger) {
  if (!('data' in result)) return result;
  if (!estimate) return result.errors ? withMaskedErrors(result, log) : result;
  const errors = result.errors?.filter((error) => !isPlanned(error)) ?? [];
  return errors.length > 0 ? { data: null, errors } : { data: null };
}

function withMaskedErrors(result: ExecutionResult, log: Logger): ExecutionResult {
  return { ...result, errors: result.errors!.map((error) => mask(error, log)) };
}

/** An error that is none of ours tells clients nothing; the log has the rest. */
function mask(error: GraphQLError, log: Logger): GraphQLError {
  const { originalError, nodes, path } = error;
  if (!originalError || originalError instanceof GraphQLError) return error;
  log.error({ err: originalError }, 'unexpected error');
  const extensions = { code: 'INTERNAL_SERVER_ERROR' };
  return new GraphQLError('Unexpected error.', { nodes, path, extensions });
}
