import type { IncomingHttpHeaders } from 'node:http';
import type { Authorise } from './auth.ts';
import type { Meters } from './meters.ts';
import type { Found, Page, Pages } from './pages.ts';
import { Refusal, type RefusalCode } from './refusal.ts';

/** What goes over the wire, and what it cost. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Units charged: 0 or 1. */
  cost: number;
}

/** What sets the two groups apart; the way a request takes is the same. */
export interface Dialect {
  authorise: Authorise;
  /** Group B's per-second limit; throws a Refusal. */
  pace: () => void;
  statusOf: Record<RefusalCode, number>;
  errorFields: (refusal: Refusal) => object;
  /** The fields every answer begins with, and which no page holds. */
  leadingFields: (success: boolean) => object;
}

/** One request of a group. */
interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** The group's side of the wire. */
export interface Gate {
  /** Answers a request and charges for it. */
  answer: (call: Call) => Reply;
  /** What an authorised request would be answered now, without cost and whatever the meters say. */
  preview: (path: string) => Reply;
}

function composeReply(dialect: Dialect, page: Page, cost: number): Reply {
  const code = page.refused;
  const leading = JSON.stringify(dialect.leadingFields(code === null));
  return {
    status: code === null ? 200 : dialect.statusOf[code],
    headers: code === 'rate_limited' ? { 'retry-after': '1' } : {},
    body: Buffer.concat([Buffer.from(`${leading.slice(0, -1)},`), page.rest]),
    cost,
  };
}

function refuse(dialect: Dialect, refusal: Refusal): Reply {
  const rest = Buffer.from(JSON.stringify(dialect.errorFields(refusal)).slice(1));
  return composeReply(dialect, { refused: refusal.code, rest }, 0);
}

/** Sections 5, 7 and 8 in their order: key, method and path, per-second limit, meter, parameters. */
export function createGate(dialect: Dialect, pages: Pages, meters: Meters): Gate {
  function admit({ method, path, headers }: Call): Found {
    const found = pages(path);
    if (!found?.open) dialect.authorise(headers);
    if (method !== 'GET') throw new Refusal('method_not_allowed', 'Only GET is allowed');
    if (!found) throw new Refusal('not_found', 'No such path');
    dialect.pace();
    if (found.meter) meters.check(found.meter);
    return found;
  }

  /** A refusal costs nothing. */
  function charged({ meter, page }: Found): Reply {
    const made = page();
    if (made.refused !== null || meter === null) return composeReply(dialect, made, 0);
    meters.charge(meter);
    return composeReply(dialect, made, 1);
  }

  const orRefusal = (make: () => Reply): Reply => {
    try {
      return make();
    } catch (error) {
      if (error instanceof Refusal) return refuse(dialect, error);
      throw error;
    }
  };

  return {
    answer: (call) => orRefusal(() => charged(admit(call))),
    preview(path) {
      const found = pages(path);
      if (found) return composeReply(dialect, found.page(), 0);
      return refuse(dialect, new Refusal('not_found', 'No such path'));
    },
  };
}
