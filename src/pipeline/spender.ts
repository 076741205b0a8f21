import { sha256 } from '../documents/ids.ts';
import type { Spender } from '../usage/operation.ts';
import type { OperationRequest } from './request.ts';

/** Who pays for what an operation spends, and under which name it is counted. */

/** Digits of the hash of a text by which an operation without a name is known. */
const HASH_DIGITS = 12;

export function spenderOf(
  { client, caller }: OperationRequest,
  name: string | undefined,
  text: string,
): Spender {
  const priority = client?.priority ?? 'NORMAL';
  const nameOf = () => name ?? sha256(text).slice(0, HASH_DIGITS);
  const spender = { priority, name: nameOf };
  if (!caller) return { ...spender, payer: client, maxUnits: client?.maxUnitsPerOperation };
  const latest = () => caller.latest() ?? client;
  return {
    ...spender,
    get payer() {
      return latest();
    },
    get maxUnits() {
      return latest()?.maxUnitsPerOperation;
    },
  };
}
