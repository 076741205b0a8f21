import type { GraphQLError } from 'graphql';
import { type Authenticator, keyInHeaders, keyInPayload } from '../clients/authenticator.ts';
import type { InitPayload } from '../clients/init-payload.ts';
import { forbiddenClientOrigin, tooManyOperations, unauthenticated } from '../clients/refusals.ts';
import { createOpenCounts } from '../open-counts.ts';
import { forbiddenReason, type OriginRules } from './origins.ts';
import type { Connection } from './socket.ts';

/** Which clients may use a WebSocket, and how many operations they may send. */
export interface SocketAdmission {
  /** Whether the connection may stay open; closes it if not. `init`: the payload of its first message. */
  admits(connection: Connection, init: InitPayload): boolean;
  /** Returns why the client may not send an operation now; undefined if it may. Counts the operation. */
  refusal(connection: Connection): GraphQLError | undefined;
}

/** Close code that clients take as final: they do not reconnect with the same key. */
const UNAUTHORIZED = 4401;
/** Close code after which clients reconnect in a while. */
const TRY_AGAIN_LATER = 1013;

const ADMIT_ALL: SocketAdmission = { admits: () => true, refusal: () => undefined };

interface AdmissionOptions {
  /** Undefined: clients need no key. */
  authenticator: Authenticator | undefined;
  originRules: OriginRules;
  maxSockets: number;
}

export function createSocketAdmission({
  authenticator,
  originRules,
  maxSockets,
}: AdmissionOptions): SocketAdmission {
  if (!authenticator) return ADMIT_ALL;
  const open = createOpenCounts();
  return {
    admits(connection, init) {
      const { headers } = connection.request;
      const caller = authenticator.identify(keyInPayload(init) ?? keyInHeaders(headers));
      const close = () => connection.close(UNAUTHORIZED, 'Unauthorized');
      if (!caller || forbiddenReason(headers, originRules, caller.client.origins)) {
        close();
        return false;
      }
      const { name } = caller.client;
      // As with places (pipeline/places.ts), a client may hold as many sockets as it leaves free. Sockets that have not
      // sent a key yet may be anyone's, including its own, and are not counted.
      if (open.of(name) >= maxSockets - open.total()) {
        connection.close(TRY_AGAIN_LATER, 'Too many sockets for this client');
        return false;
      }
      connection.onClose(open.begin(name));
      connection.caller = caller;
      // The connection lasts as long as the key.
      connection.onClose(caller.whenRevoked(close));
      return true;
    },
    refusal({ caller, request: { headers } }) {
      const client = caller?.latest();
      if (!client) return unauthenticated();
      // The origin may have been removed from the clients file since the connection was opened.
      if (forbiddenReason(headers, originRules, client.origins)) return forbiddenClientOrigin();
      const rate = authenticator.countOperation(client);
      if (!rate?.isExceeded) return undefined;
      return tooManyOperations(client.name, rate.limit, rate.resetSeconds);
    },
  };
}
