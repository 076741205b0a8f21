import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** Gateways that a trace of `bench:economy` is replayed to in real time, with a clock that runs faster. */

/** The settings of a gateway for a clock that runs `speed` times faster. */
export function traceSettings(speed: number): Record<string, string> {
  const ttl = (seconds: number) => String(seconds / speed);
  return {
    TTL_FX_RATES: ttl(30),
    TTL_CRYPTO: ttl(30),
    TTL_FX_HISTORY: ttl(300),
    TTL_MACRO_SERIES: ttl(300),
    TTL_MACRO_CATALOG: ttl(300),
    TTL_LEGISLATION: ttl(300),
    TTL_CALENDAR: ttl(300),
    TTL_SETTLED_DAYS: ttl(300),
    // A machine that stalls for a while must not cause timeouts.
    UPSTREAM_TIMEOUT_MS: '30000',
    OPERATION_TIMEOUT_MS: '60000',
  };
}

const headers = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Sends a query, again if the gateway refuses it as overloaded, which costs no units; as light as possible, since it
 * runs on the machine that it measures.
 */
export async function ask(url: string, agent: Agent, query: string): Promise<string> {
  const sent = request(`${url}/graphql`, { method: 'POST', agent, headers });
  sent.end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode === 503) {
    await pause(1000);
    return ask(url, agent, query);
  }
  if (answer.includes('"errors":')) throw new Error(`${query}\n${answer.slice(0, 500)}`);
  return answer;
}
