import type { Reply } from './gate.ts';
import type { SandboxRequest } from './journal.ts';

/** Something that goes wrong on purpose. For tests, in process only. */
export interface Fault {
  /** Only requests whose SandboxRequest.path starts with this; default all. */
  path?: string;
  group?: 'A' | 'B';
  /** How many requests it hits; default: until cleared. */
  times?: number;
  kind:
    | 'status'
    | 'hang'
    | 'reset'
    | 'reset-mid-body'
    | 'truncated-json'
    | 'not-json'
    | 'delay'
    | 'rewrite';
  status?: number;
  /** For kind status: a JSON value, or a string sent raw; undefined = empty body. */
  body?: unknown;
  headers?: Record<string, string>;
  delayMs?: number;
  /** For kind rewrite: changes the JSON of a success answer. */
  rewrite?: (body: unknown, path: string) => unknown;
}

/** What a fault can do with a request that waits for its answer. */
export interface Exchange {
  path: string;
  /** Makes the proper answer and charges for it. */
  answer: () => Reply;
  send: (reply: Reply) => void;
  /** Sends the status, the headers and half of the body, and cuts the connection. */
  sendHalf: (reply: Reply) => void;
  /** Cuts the connection. */
  reset: () => void;
  /** Goes on after some milliseconds, unless the client has left. */
  after: (ms: number, proceed: () => void) => void;
}

/** The faults in force. */
export interface Faults {
  add: (fault: Fault) => () => void;
  clear: () => void;
  /** Answers the exchange, the way the first fault that hits it says. */
  settle: (request: SandboxRequest, exchange: Exchange) => void;
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

/** Kinds that damage the proper answer keep its cost; kinds that replace it cost nothing. */
const KINDS: Record<Fault['kind'], (fault: Fault, exchange: Exchange) => void> = {
  status: (fault, exchange) => exchange.send(statusReply(fault)),
  hang: () => {},
  reset: (_fault, exchange) => exchange.reset(),
  'reset-mid-body': (_fault, exchange) => exchange.sendHalf(exchange.answer()),
  'truncated-json': (_fault, exchange) => exchange.send(truncated(exchange.answer())),
  'not-json': (_fault, exchange) => exchange.send(notJson(exchange.answer())),
  delay: (fault, exchange) =>
    exchange.after(fault.delayMs ?? 1000, () => exchange.send(exchange.answer())),
  rewrite: (fault, exchange) => exchange.send(rewritten(fault, exchange.answer(), exchange.path)),
};

/** Of several faults that hit a request, the one added first acts. */
export function createFaults(): Faults {
  const active = new Map<Fault, { left: number }>();

  function take(request: SandboxRequest): Fault | null {
    for (const [fault, state] of active) {
      if (fault.group !== undefined && fault.group !== request.group) continue;
      if (!request.path.startsWith(fault.path ?? '')) continue;
      state.left -= 1;
      if (state.left <= 0) active.delete(fault);
      return fault;
    }
    return null;
  }

  return {
    add(fault) {
      const own = { ...fault };
      active.set(own, { left: fault.times ?? Number.POSITIVE_INFINITY });
      return () => active.delete(own);
    },
    clear: () => active.clear(),
    settle(request, exchange) {
      const fault = take(request);
      if (fault) KINDS[fault.kind](fault, exchange);
      else exchange.send(exchange.answer());
    },
  };
}
