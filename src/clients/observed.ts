import type { Authenticator, Caller } from './authenticator.ts';

/** Tells an observer of requests that are refused because of who sends them. */

export interface ClientRefusal {
  reason: 'no valid key' | 'more than operationsPerMinute';
  /** Name of the client; undefined if the key is nobody's. */
  client?: string;
}

/** Returns the same authenticator; `note` is called for each refusal, over HTTP and WebSocket alike. */
export function observedAuthenticator(
  authenticator: Authenticator,
  note: (refusal: ClientRefusal) => void,
): Authenticator {
  function noted(caller: Caller | undefined): Caller | undefined {
    if (!caller) note({ reason: 'no valid key' });
    return caller;
  }

  return {
    identify: (key) => noted(authenticator.identify(key)),
    identifyIn: (headers) => noted(authenticator.identifyIn(headers)),
    countOperation(client) {
      const rate = authenticator.countOperation(client);
      if (rate?.isExceeded) note({ reason: 'more than operationsPerMinute', client: client.name });
      return rate;
    },
    allowsOrigin: authenticator.allowsOrigin,
  };
}
