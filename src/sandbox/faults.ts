import type { Reply } from './handler.ts';
import type { SandboxRequest } from './request-log.ts';

/** Faults that tests set, to see how the gateway handles an upstream that fails. */

/** Something that goes wrong on purpose. Only tests in the same process can set one. */
export interface Fault {
  /** Hits only requests whose SandboxRequest.path starts with this, or for which this returns true; default: all. */
  path?: string | ((path: string) => boolean);
  group?: 'A' | 'B';
  /** How many requests it hits; default: all until it is cleared. */
  times?: number;
  /** What happens to a request that is hit: see ACTIONS. */
  kind:
    | 'status'
    | 'hang'
    | 'reset'
    | 'reset-mid-body'
    | 'truncated-json'
    | 'not-json'
    | 'delay'
    | 'slow'
    | 'hold'
    | 'rewrite';
  /** Kind status: the HTTP status; default 500. */
  status?: number;
  /** Kind status: a JSON value, or a string that is sent as it is; undefined = empty body. */
  body?: unknown;
  /** Kind status: response headers. */
  headers?: Record<string, string>;
  /** Kind delay: milliseconds of real time; default 1000. */
  delayMs?: number;
  /** Kind slow: how fast the body is sent; default 1000. */
  bytesPerSecond?: number;
  /** Kind rewrite: changes the JSON of a success answer. */
  rewrite?: (body: unknown, path: string) => unknown;
}

/** A request that has not been answered yet, and what a fault can do with it. */
export interface Exchange {
  path: string;
  /** Makes the proper answer and charges for it. */
  answer: () => Reply;
  /** Sends the reply: at once, at the line's speed, or at another one. */
  send: (reply: Reply, bytesPerSecond?: number) => void;
  /** Sends the status, the headers and half of the body, and cuts the connection. */
  sendHalf: (reply: Reply) => void;
  /** Cuts the connection. */
  reset: () => void;
  /** Goes on after some milliseconds, unless the client has left by then. */
  after: (ms: number, proceed: () => void) => void;
}

/** The faults in force. */
export interface Faults {
  /** Sets a fault; the returned function clears it. */
  add: (fault: Fault) => () => void;
  clear: () => void;
  /** Answers the request as the first fault that hits it demands, or properly if none does. */
  respond: (request: SandboxRequest, exchange: Exchange) => void;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

function statusReply({ status = 500, body, headers = {} }: Fault): Reply {
  const raw = typeof body === 'string' ? Buffer.from(body) : undefined;
  return {
    status,
    headers,
    body: raw ?? (body === undefined ? Buffer.alloc(0) : json(body)),
    cost: 0,
  };
}

function rewritten(fault: Fault, reply: Reply, path: string): Reply {
  if (reply.status !== 200 || !fault.rewrite) return reply;
  const body: unknown = JSON.parse(reply.body.toString());
  return { ...reply, body: json(fault.rewrite(body, path)) };
}

const truncated = (reply: Reply): Reply => ({
  ...reply,
  body: reply.body.subarray(0, Math.floor(reply.body.length / 2)),
});

const notJson = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'content-type': 'text/html' },
  body: Buffer.from('<html><body>Bad gateway</body></html>'),
});

type FaultAction = (fault: Fault, exchange: Exchange, cleared: Promise<void>) => void;

/** What each kind does. Kinds that damage or delay the proper answer charge for it; those that replace it do not. */
const ACTIONS: Record<Fault['kind'], FaultAction> = {
  status: (fault, exchange) => exchange.send(statusReply(fault)),
  hang: () => {},
  reset: (_fault, exchange) => exchange.reset(),
  'reset-mid-body': (_fault, exchange) => exchange.sendHalf(exchange.answer()),
  'truncated-json': (_fault, exchange) => exchange.send(truncated(exchange.answer())),
  'not-json': (_fault, exchange) => exchange.send(notJson(exchange.answer())),
  delay: (fault, exchange) =>
    exchange.after(fault.delayMs ?? 1000, () => exchange.send(exchange.answer())),
  slow: ({ bytesPerSecond = 1000 }, exchange) => exchange.send(exchange.answer(), bytesPerSecond),
  // Answers when the fault is cleared: a test decides what happens while the request is in flight.
  hold: (_fault, exchange, cleared) =>
    void cleared.then(() => exchange.after(0, () => exchange.send(exchange.answer()))),
  rewrite: (fault, exchange) => exchange.send(rewritten(fault, exchange.answer(), exchange.path)),
};

/** A fault in force. */
interface ActiveFault {
  fault: Fault;
  /** Requests that it still hits. */
  left: number;
  cleared: PromiseWithResolvers<void>;
}

/** Of several faults that hit a request, the one added first acts. */
export function createFaults(): Faults {
  const all = new Set<ActiveFault>();

  function clear(active: ActiveFault): void {
    all.delete(active);
    active.cleared.resolve();
  }

  /** Returns the fault that hits the request. Once used up, a fault hits no more requests, but is not cleared. */
  function take(request: SandboxRequest): ActiveFault | null {
    for (const active of all) {
      const { path = '', group = request.group } = active.fault;
      const matches = typeof path === 'string' ? request.path.startsWith(path) : path(request.path);
      if (active.left <= 0 || group !== request.group || !matches) continue;
      active.left -= 1;
      return active;
    }
    return null;
  }

  return {
    add(fault) {
      const left = fault.times ?? Number.POSITIVE_INFINITY;
      const active = { fault: { ...fault }, left, cleared: Promise.withResolvers<void>() };
      all.add(active);
      return () => clear(active);
    },
    clear: () => all.forEach(clear),
    respond(request, exchange) {
      const hit = take(request);
      if (hit) ACTIONS[hit.fault.kind](hit.fault, exchange, hit.cleared.promise);
      else exchange.send(exchange.answer());
    },
  };
}
