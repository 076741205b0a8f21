import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Bench, open } from '../harness.ts';

/** What a connection may take: time to send a request, bytes of it, and bytes of answers not yet read. */

const QUERY =
  '{ __schema { types { name description fields { name description args { name } } } } }';
const SEARCH = `?${String(new URLSearchParams({ query: QUERY }))}`;
const GET = `GET /graphql${SEARCH} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const POST =
  'POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\ncontent-type: application/json\r\n';

async function connectTo({ url }: Bench): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The other side may reset it.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const closed = (socket: Socket) => new Promise((resolve) => void socket.once('close', resolve));

const isHealthy = async ({ url }: Bench) => (await fetch(new URL('/health', url))).ok;

/** Sends chunks of an endless body for as long as they are accepted, and counts the bytes. */
function sendForEver(socket: Socket): () => number {
  const chunk = `10000\r\n${'x'.repeat(0x1_00_00)}\r\n`;
  let sent = 0;
  const more = () => {
    while (!socket.destroyed) {
      sent += chunk.length;
      if (!socket.write(chunk)) break;
    }
  };
  socket.on('drain', more);
  more();
  return () => sent;
}

test.for(['POST', 'GET'])('an endless body is cut at the limit: %s', async (method) => {
  const bench = await open();
  const socket = await connectTo(bench);
  const head = method === 'POST' ? POST : GET.replace(/\r\n$/, '');
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const sent = sendForEver(socket);
  let answer = '';
  socket.on('data', (data) => (answer += String(data)));
  await closed(socket);
  // The limit, and what the buffers on both sides of the connection hold.
  expect(sent()).toBeLessThan(32 * 1024 * 1024);
  expect(answer).toMatch(method === 'POST' ? /^HTTP\/1.1 413 / : /^HTTP\/1.1 200 /);
  expect(answer).toMatch(/^connection: close\r\n/im);
  expect(await isHealthy(bench)).toBe(true);
});

test('a body in too many chunks is refused, and one in small chunks is read', async () => {
  const bench = await open();
  const body = JSON.stringify({ query: `{ __typename } # ${'x'.repeat(30_000)}` });
  const inChunks = (sent: string) => `${sent.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`;
  for (const [length, status] of [
    [30_000, 413],
    [19_000, 200],
  ] as const) {
    const socket = await connectTo(bench);
    const short = body.slice(0, length - 2) + '"}';
    socket.write(
      `${POST}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${inChunks(short)}`,
    );
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test('once unfinished bodies are too large in all, those that began first are cut', async () => {
  const bench = await open();
  const sockets: Socket[] = [];
  for (let i = 0; i < 80; i += 1) {
    const socket = await connectTo(bench);
    sockets.push(socket);
    socket.write(`${POST}content-length: 1000000\r\n\r\n`);
    await new Promise((done) => void socket.write('x'.repeat(999_999), done));
  }
  await expect.poll(() => sockets[0]!.destroyed).toBe(true);
  expect(sockets.at(-1)!.destroyed).toBe(false);
  expect((await bench.ask('{ __typename }')).errors).toEqual([]);
});

test('a body whose stated length is too long is refused before it is sent', async () => {
  const socket = await connectTo(await open());
  socket.write(`${POST}content-length: 1048577\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 413 .*"REQUEST_TOO_LARGE"/s);
});

test('a client that sends head or body too slowly is cut off, and one that waits between requests is not', async () => {
  // On a busy machine it may take long until a request that was sent at once is read.
  const env = { HEADERS_TIMEOUT_MS: '1500', REQUEST_TIMEOUT_MS: '2000' };
  const bench = await open({ env });
  const waiting = await connectTo(bench);
  waiting.write(GET);
  await once(waiting, 'data');
  const slow = [await connectTo(bench), await connectTo(bench), await connectTo(bench)];
  slow[1]!.write('GET /graphql HTTP/1.1\r\nhost:');
  slow[2]!.write(`${POST}content-length: 100\r\n\r\n{`);
  for (const socket of slow) expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
  waiting.resume();
  waiting.write(GET);
  await once(waiting, 'data');
  expect(waiting.destroyed).toBe(false);
});

test('an idle connection is kept longer than proxies keep theirs', async () => {
  const { url } = await open();
  const { headers } = await fetch(new URL('/health', url));
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

test.for(['MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_ADDRESS'])(
  'further connections are closed, until others end: %s',
  async (variable) => {
    const bench = await open({ env: { [variable]: '3' } });
    const sockets = [await connectTo(bench), await connectTo(bench), await connectTo(bench)];
    for (const socket of sockets) {
      socket.write(GET);
      await once(socket, 'data');
    }
    const further = await connectTo(bench);
    await closed(further.resume());
    sockets[0]!.destroy();
    await expect.poll(() => isHealthy(bench).catch(() => false)).toBe(true);
  },
);

test('a trusted proxy may open more connections than one client', async () => {
  const env = { MAX_CONNECTIONS_PER_ADDRESS: '1', TRUST_PROXY: '127.0.0.0/8' };
  const bench = await open({ env });
  for (const socket of [await connectTo(bench), await connectTo(bench)]) {
    socket.write(GET);
    expect(String((await once(socket, 'data'))[0])).toContain('200 OK');
  }
});

/** Asks many times without reading: some 14 MB of answers. */
async function askWithoutReading(bench: Bench): Promise<Socket> {
  const socket = await connectTo(bench);
  socket.pause();
  socket.write(GET.repeat(OPERATIONS));
  return socket;
}

const OPERATIONS = 400;
const STATUS_LINE = 'HTTP/1.1 200 OK';

/** Returns how many answers have begun when the connection ends, or when all have. */
async function answersOf(socket: Socket): Promise<number> {
  let count = 0;
  let rest = '';
  const { promise: all, resolve } = Promise.withResolvers<void>();
  socket.on('data', (data) => {
    const parts = (rest + String(data)).split(STATUS_LINE);
    count += parts.length - 1;
    rest = parts.at(-1)!.slice(-STATUS_LINE.length + 1);
    if (count === OPERATIONS) resolve();
  });
  socket.resume();
  await Promise.race([closed(socket), all]);
  return count;
}

test('a client that does not read is cut off if too many bytes wait for it', async () => {
  const bench = await open({ env: { MAX_WAITING_BYTES_PER_CONNECTION: '1000000' } });
  const socket = await askWithoutReading(bench);
  await bench.ask('{ __typename }');
  expect(await answersOf(socket)).toBeLessThan(OPERATIONS);
  expect(await isHealthy(bench)).toBe(true);
});

test('if too many bytes wait in all, the connections that have waited longest are cut off', async () => {
  const bench = await open({ env: { MAX_WAITING_BYTES: '4000000' } });
  const sockets: Socket[] = [];
  for (let i = 0; i < 6; i += 1) sockets.push(await askWithoutReading(bench));
  await bench.ask('{ __typename }');
  expect(await isHealthy(bench)).toBe(true);
  const answers = await Promise.all(sockets.slice(0, 3).map(answersOf));
  for (const count of answers) expect(count).toBeLessThan(OPERATIONS);
});

test('a client that reads gets everything, however much it is, if no other one waits', async () => {
  const bench = await open({ env: { MAX_WAITING_BYTES: '100000' } });
  expect(await answersOf(await askWithoutReading(bench))).toBe(OPERATIONS);
});
