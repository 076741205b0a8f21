import { expect, test } from 'vitest';
import { EXCHANGES } from '../../src/sandbox/lists/exchanges.ts';
import { open, timeoutFor } from '../harness.ts';

/** A stated balance above zero that does not pay for one more request: have units been bought since? */

const COST = 3;
const LEFT = 2;
/** A little more than a minute: closing a meter anew takes at least a millisecond longer. */
const MINUTE_MS = 61_000;
/** A request without an answer may be charged until a few seconds later. */
const UNANSWERED_PAUSE_MS = MINUTE_MS + 5000;

/** The first answer has cost 3 credits, and 2 are left. Each question needs a request of its own. */
async function withLittleLeft(env = {}) {
  const bench = await open({
    env,
    // What the first answer states beyond what the sandbox has counted.
    unreadUnits: { credits: 1 - COST },
  });
  const { ask, sandbox } = bench;
  let asked = 0;
  /** Asks that many new questions at once; returns how many requests they have sent, and their failures. */
  async function send(questions = 1) {
    const before = sandbox.requests().length;
    const exchanges = EXCHANGES.slice(asked, (asked += questions));
    const replies = await Promise.all(
      exchanges.map(([name]) =>
        ask(`{ cryptoAsset(symbol: "BTC", exchange: "${name}") { price } }`),
      ),
    );
    const codes = replies.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code));
    return { sent: sandbox.requests().length - before, codes: [...new Set(codes)] };
  }
  const rewrite = (body: unknown) =>
    Object.assign({}, body, { creditsUsed: COST, creditsRemaining: LEFT });
  sandbox.fault({ kind: 'rewrite', group: 'B', times: 1, rewrite });
  expect(await send()).toEqual({ sent: 1, codes: [] });
  return { ...bench, send };
}

test('one request finds out, then one a minute, and units that were bought are spent', async () => {
  const { sandbox, clock, send } = await withLittleLeft();
  const buy = sandbox.fault({ kind: 'status', group: 'B', status: 402 });
  const refusedWith = (sent: number) => ({ sent, codes: ['INSUFFICIENT_CREDITS'] });
  expect(await send(2)).toEqual(refusedWith(1));
  expect(await send()).toEqual(refusedWith(0));
  clock.advance(MINUTE_MS);
  expect(await send()).toEqual(refusedWith(1));
  buy();
  clock.advance(MINUTE_MS);
  expect(await send()).toEqual({ sent: 1, codes: [] });
});

test('if that request gets no answer, none follows for a minute', async () => {
  const { sandbox, clock, send } = await withLittleLeft(timeoutFor('hang'));
  const clearFault = sandbox.fault({ kind: 'hang', group: 'B' });
  expect((await send()).sent).toBe(1);
  expect((await send(2)).sent).toBe(0);
  clearFault();
  clock.advance(UNANSWERED_PAUSE_MS);
  expect(await send()).toEqual({ sent: 1, codes: [] });
});
