import type { Plugin } from 'graphql-yoga';
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
      setResult({ ...result, extensions: { ...result.extensions, ...extensions } });
    },
  };
}
