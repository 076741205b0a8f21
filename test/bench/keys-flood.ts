import { Pool } from 'undici';
import { createDraw } from './economy-random.ts';

/**
 * A process that floods a gateway on demand with cheap and expensive questions: a fixed number a second with one key,
 * as long as a connection is free.
 */

const INTERVAL_MS = 5;
const CONNECTIONS = 32;

const [url = '', perSecond = ''] = process.argv.slice(2);
const { origin } = new URL(url);
const pool = new Pool(origin, { connections: CONNECTIONS });
const draw = createDraw(7);
let timer: NodeJS.Timeout | undefined;

const PAIRS = ['USDTRY', 'EURTRY', 'GBPTRY', 'CHFTRY', 'JPYTRY', 'EURUSD'];
const many = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `f${i}: ${one(i)}`).join(' ');

const history = () =>
  `fxRate(pair: "${draw.among(PAIRS)}") { history(start: "20${10 + draw.whole(15)}-01-01") { change } }`;
const question = () =>
  draw.weighted<() => string>([
    [6, () => '{ fxRates(first: 3) { nodes { pair buying selling } } }'],
    [3, () => `{ ${history()} }`],
    [2, () => `{ cryptoAssets(first: ${draw.whole(400)}, convert: EUR) { nodes { name price } } }`],
    [1, () => `{ ${many(15, history)} }`],
    [
      1,
      () => `{ legislationChanges(filter: { institution: "x${draw.whole(900)}" }) { totalCount } }`,
    ],
    [1, () => '{ fxRates { nodes { pair '],
  ])();

const underWay = new Set<Promise<unknown>>();

function send(key: string): void {
  const body = JSON.stringify({ query: question() });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const sent = pool
    .request({ method: 'POST', path: '/graphql', headers, body })
    .then((reply) => reply.body.dump())
    .catch(() => undefined)
    .finally(() => underWay.delete(sent));
  underWay.add(sent);
}

function flood(key: string): NodeJS.Timeout {
  const began = performance.now();
  let due = 0;
  return setInterval(() => {
    const next = ((performance.now() - began) * Number(perSecond)) / 1000;
    // Operations that find no free connection are dropped.
    for (; due < next; due += 1) if (underWay.size < CONNECTIONS) send(key);
  }, INTERVAL_MS);
}

async function end(): Promise<void> {
  clearInterval(timer);
  await Promise.all(underWay);
  process.send?.('ended');
}

/** A key begins a flood, an empty string ends it. */
process.on('message', (key: string) => {
  if (key === '') void end();
  else timer = flood(key);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
