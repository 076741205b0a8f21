import type { Clock } from '../time.ts';
import type { Ledger, Reservation } from '../usage/ledger.ts';
import type { Operation } from '../usage/operation.ts';
import { type Answer, type Endpoint, requestPath, type Target } from './endpoint.ts';
import { BrokenOff, MarketError, NotSent } from './errors.ts';
import type { Line } from './line.ts';
import { retryAfterMs, type Turn } from './pacer.ts';
import { readAnswer } from './read-answer.ts';
import { readReceipt, type Receipt } from './receipt.ts';

/** Sends one metered request: waits for its turn, reserves its unit, books what it really cost. */
export type Exchange = <Raw>(
  line: Line,
  endpoint: Endpoint<Raw>,
  target: () => Target,
  operation: Operation,
) => Promise<Answer<Raw>>;

export interface ExchangeOptions {
  ledger: Ledger;
  timezone: string;
  now: Clock;
}

export function createExchange({ ledger, timezone, now }: ExchangeOptions): Exchange {
  /** Throws where the request may not be sent: no units left, too many requests, no turn in time. */
  async function turnFor(line: Line, { group, meter }: About, operation: Operation): Promise<Turn> {
    if (!ledger.isOpen(meter)) throw exhausted({ group, meter });
    if (operation.requests >= operation.maxRequests)
      throw new MarketError('UPSTREAM_BUDGET_EXCEEDED', { group });
    operation.requests += 1;
    await everybodyIsHere();
    const turn = await line.pacer.turn(operation.deadline);
    if (turn) return turn;
    operation.requests -= 1;
    // No turn comes before the operation's deadline: asking again is no use.
    throw new NotSent('RATE_LIMITED', { group });
  }

  /** Throws where the exchange was broken off: its unit stays reserved, and so counts as spent. */
  async function send(line: Line, about: About, path: string, turn: Turn): Promise<Receipt> {
    try {
      const reply = await line.transport.get(path, line.headers);
      const receipt = readReceipt(line.dialect, about, reply);
      if (receipt.result instanceof MarketError && receipt.result.code === 'RATE_LIMITED')
        line.pacer.noteRefused(turn, retryAfterMs(reply.headers['retry-after'], now()));
      return receipt;
    } catch (error) {
      if (!(error instanceof MarketError) || error instanceof BrokenOff) throw error;
      return { cost: 0, remaining: undefined, bytes: 0, result: error };
    }
  }

  return async (line, endpoint, target, operation) => {
    const turn = await turnFor(line, endpoint, operation);
    const path = requestPath(target());
    const reservation = ledger.reserve(endpoint.meter);
    if (!reservation) {
      operation.requests -= 1;
      throw exhausted(endpoint);
    }
    const receipt = await send(line, endpoint, path, turn);
    book(reservation, receipt);
    operation.used[endpoint.meter] += receipt.cost;
    if (receipt.result instanceof MarketError) {
      operation.failed += 1;
      throw receipt.result;
    }
    return readAnswer(endpoint, receipt.result, { bytes: receipt.bytes, now, timezone });
  };
}

/** What one receipt says of the meter: what the request cost, and what the upstream counts itself. */
function book(reservation: Reservation, { cost, remaining, result }: Receipt): void {
  reservation.settle(cost);
  if (remaining !== undefined) reservation.noteRemaining(remaining);
  const code = result instanceof MarketError ? result.code : undefined;
  if (code === 'QUOTA_EXCEEDED' || code === 'INSUFFICIENT_CREDITS') reservation.noteExhausted();
}

/** What is asked in one moment leaves together, and what is alike in it shares a request. */
function everybodyIsHere(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type About = Pick<Endpoint<unknown>, 'group' | 'meter' | 'emptyOn404'>;

/** The meter is known to be used up: nothing is sent. */
export function exhausted({ group, meter }: Pick<About, 'group' | 'meter'>): MarketError {
  const code = meter === 'credits' ? 'INSUFFICIENT_CREDITS' : 'QUOTA_EXCEEDED';
  return new MarketError(code, { group, meter });
}
