import { connect } from 'node:net';
import { createDraw } from './economy-random.ts';
import { postOf } from './speed-load.ts';
import { list, neverSeen, type Operation, page, small } from './speed-operations.ts';

/**
 * A process that sends a gateway a fixed number of operations a second, as long as a connection is free. All are warm:
 * their data are cached, but no answer is kept, since each has a variable of its own.
 */

export interface Order {
  perSecond: number;
  ms: number;
  work: Work;
}

export interface Outcome {
  served: number;
  refused: number;
  /** Answers that were neither served nor refused as documented. */
  failed: string[];
  /** Operations that found no free connection. */
  unsent: number;
  /** How long answers and refusals took. */
  servedMs: number[];
  refusedMs: number[];
}

/** Maximum operations without an answer: fewer than the 1024 places of one address. */
const CONNECTIONS = 900;
const INTERVAL_MS = 2;
const BUFFER_BYTES = 65_536;

const YEARS: Operation = {
  operationName: 'Years',
  variables: { first: 5 },
  query: `query Years($first: Int) {
    fxRates(first: $first) { nodes { pair history(start: "2019-01-01") { points { date value } } } }
  }`,
};
const tagged: Operation = {
  ...page,
  query: page.query
    .replace('$since: Date) {', '$since: Date, $tag: String!) {')
    .replace(/\}$/, '  none: cryptoAsset(symbol: $tag) @include(if: false) { symbol }\n  }'),
};
const pages = (index: number): Operation => ({
  ...tagged,
  variables: { ...page.variables, tag: `T${index}` },
});

/** The operations of each kind of work, with their weights. */
const OPERATIONS = {
  cheap: [[1, neverSeen(small)]],
  mixed: [
    [4, neverSeen(small)],
    [3, neverSeen(list)],
    [2, pages],
    [1, neverSeen(YEARS)],
  ],
  dear: [[1, neverSeen(YEARS)]],
} as const;
export type Work = keyof typeof OPERATIONS;

const [url = ''] = process.argv.slice(2);
const { hostname: host, port } = new URL(url);
const draw = createDraw(11);
let index = process.pid * 1_000_000;

function bytesOf(work: Work): Buffer {
  const one = draw.weighted<(at: number) => Operation>(OPERATIONS[work]);
  return postOf(url, one((index += 1)));
}

/** Opens a connection for one request at a time. */
function open(onAnswer: (status: number, head: string) => void) {
  let missing = 0;
  let status = 0;
  let head = '';
  const buffer = Buffer.alloc(BUFFER_BYTES);
  const callback = (length: number) => {
    let chunk = length;
    if (missing === 0) {
      const end = buffer.indexOf('\r\n\r\n') + 4;
      head = buffer.toString('latin1', 0, end);
      status = Number(head.slice(9, 12));
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      chunk -= end;
    }
    missing -= chunk;
    if (missing === 0) onAnswer(status, head);
    return true;
  };
  const socket = connect({ port: Number(port), host, noDelay: true, onread: { buffer, callback } });
  socket.on('error', (error) => onAnswer(0, error.message));
  socket.on('close', () => onAnswer(0, 'closed'));
  return socket;
}

const free: ((bytes: Buffer, began: number) => void)[] = [];
let underWay = 0;
let outcome = empty();

function empty(): Outcome {
  return { served: 0, refused: 0, failed: [], unsent: 0, servedMs: [], refusedMs: [] };
}

function addConnection(): void {
  let began = 0;
  const socket = open((status, head) => {
    const ms = performance.now() - began;
    underWay -= 1;
    if (status === 200) {
      outcome.served += 1;
      outcome.servedMs.push(ms);
    } else if (status === 503 && /\nretry-after: \d/i.test(head)) {
      outcome.refused += 1;
      outcome.refusedMs.push(ms);
    } else outcome.failed.push(`${status} ${head.slice(0, 100)}`);
    free.push(send);
  });
  const send = (bytes: Buffer, at: number) => {
    began = at;
    underWay += 1;
    socket.write(bytes);
  };
  free.push(send);
}

function sendDue(work: Work): void {
  const send = free.shift();
  if (send) send(bytesOf(work), performance.now());
  else outcome.unsent += 1;
}

async function execute({ perSecond, ms, work }: Order): Promise<void> {
  outcome = empty();
  const began = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = performance.now() - began;
      for (const due = (Math.min(passed, ms) * perSecond) / 1000; sent < due; sent += 1)
        sendDue(work);
      if (passed < ms) return;
      clearInterval(timer);
      resolve();
    }, INTERVAL_MS);
  });
  process.send?.({ ...outcome, ended: true });
}

for (let i = 0; i < CONNECTIONS; i += 1) addConnection();
process.on('message', (order: Order) => void execute(order));
process.once('disconnect', () => process.exit());
setTimeout(() => process.send?.('ready'), 500);
