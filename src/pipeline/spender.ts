import { sha256 } from '../documents/ids.ts';
import type { Spender } from '../usage/operation.ts';
import type { OperationRequest } from './request.ts';

/** Who pays for what an operation spends, and under which name it is counted. */

/** How many digits of the text's hash stand in for the name of an operation that has none. */
const HASH_DIGITS = 12;

/** Returns who pays: the client as the clients file has it at each moment, if clients have names. */
export function spenderOf(
  { client, caller }: Pick<OperationRequest, 'client' | 'caller'>,
  name: string | undefined,
  text: string,
): Spender {
  const nameOf = () => name ?? sha256(text).slice(0, HASH_DIGITS);
  // Clients without names need no getters: creating them takes longer than everything else that begins an operation.
  if (!caller) return { priority: 'NORMAL', name: nameOf };
  const latest = () => caller.latest() ?? client;
  return {
    get payer() {
      return latest();
    },
    get isRevoked() {
      return caller.latest() === undefined;
    },
    get maxUnits() {
      return latest()?.maxUnitsPerOperation;
    },
    get priority() {
      return latest()?.priority ?? 'NORMAL';
    },
    name: nameOf,
  };
}
