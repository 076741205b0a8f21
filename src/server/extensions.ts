import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isPlanned } from '../usage/estimate.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { Operation } from '../usage/operation.ts';
import { type Extensions, reportUsage } from '../usage/report.ts';

export interface ExtensionsOptions {
  ledger: Ledger;
  operationOf(request: Request): Operation | undefined;
  sandbox: boolean;
}

/** Puts the account of its operation into every response, rejected requests included. */
export function useExtensions({ ledger, operationOf, sandbox }: ExtensionsOptions): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return;
      const operation = operationOf(request);
      const extensions: Extensions = {
        usage: reportUsage(ledger, operation),
        ...(operation?.warnings.size && { warnings: [...operation.warnings] }),
        ...(sandbox && { sandbox }),
      };
      const served = operation?.estimate ? dryResult(result) : result;
      setResult({ ...served, extensions: { ...result.extensions, ...extensions } });
    },
  };
}

/** A dry run has no data, and no errors but those that would stop the operation in earnest. */
function dryResult({ errors = [] }: ExecutionResult): ExecutionResult {
  const real = errors.filter((error) => !isPlanned(error));
  return { data: null, ...(real.length > 0 && { errors: real }) };
}
