import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readReply } from '../reply.ts';
import { conversation, frame, type Step, text } from './frames.ts';
import { check, openGateway } from './gateway.ts';

/** Mutated frames over WebSockets: everything that comes back is frames and messages of the protocol. */

const CONVERSATIONS = 450;
const CHECK_EVERY = 50;
/** Long enough for an answer on an idle machine; on a busy one less is checked, and nothing fails. */
const PARTIAL_WAIT_MS = 30;
const TIMEOUT_MS = 10_000;

const payload = z.unknown();
const failure = z.object({ message: z.string() });
/** Messages that a server may send (GraphQL over WebSocket, graphql-transport-ws). */
const serverMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('connection_ack'), payload: payload.optional() }),
  z.strictObject({ type: z.literal('ping'), payload: payload.optional() }),
  z.strictObject({ type: z.literal('pong'), payload: payload.optional() }),
  z.strictObject({ type: z.literal('next'), id: z.string(), payload }),
  z.strictObject({ type: z.literal('error'), id: z.string(), payload: z.array(failure).min(1) }),
  z.strictObject({ type: z.literal('complete'), id: z.string() }),
]);

interface Frame {
  opcode: number;
  data: Buffer;
}

/** Returns a server's frames, which must be whole, unmasked and without reserved bits. */
function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const [first = 0, second = 0] = bytes.subarray(at);
    expect(first & 0xf0, 'a whole frame without reserved bits').toBe(0x80);
    expect(second & 0x80, 'no mask').toBe(0);
    const short = second & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (bytes.length < at + head + length) break;
    frames.push({ opcode: first & 0x0f, data: bytes.subarray(at + head, at + head + length) });
    at += head + length;
  }
  return frames;
}

const VALID_CLOSE = /^(100[0-3]|100[7-9]|101[0-4]|[34]\d{3})$/;

function checkFrame({ opcode, data }: Frame): void {
  expect([1, 8, 9, 10]).toContain(opcode);
  const code = opcode === 8 && data.length > 0 ? data.readUInt16BE(0) : 1000;
  expect(String(code)).toMatch(VALID_CLOSE);
  if (opcode !== 1) return;
  const message = serverMessage.parse(JSON.parse(data.toString()));
  if (message.type === 'next') readReply(200, JSON.stringify(message.payload));
}

const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'host: 127.0.0.1',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol: graphql-transport-ws',
];

const CLOSE_FRAME = frame(Buffer.from([0x03, 0xe8]), { opcode: 8 });
const LAST = text({ type: 'ping', payload: { last: true } });

/** Sends the first message, then all others; closes the connection, and returns all bytes received. */
async function converse(port: number, [first, ...steps]: readonly Step[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  socket.on('error', () => {});
  const over = new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve));
  /** Resolves when the pattern has arrived, or after `atMostMs`: a half-sent message is never answered. */
  const answered = (pattern: string, atMostMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      socket.on('data', () => Buffer.concat(chunks).includes(pattern) && end());
      void over.then(end);
    });
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  socket.write(`${HANDSHAKE.join('\r\n')}\r\n\r\n`);
  await answered('\r\n\r\n', TIMEOUT_MS);
  if (first) socket.write(first.bytes);
  await answered('connection_ack', PARTIAL_WAIT_MS);
  for (const { bytes } of steps) socket.write(bytes);
  socket.write(LAST);
  await answered('"last"', PARTIAL_WAIT_MS);
  socket.end(CLOSE_FRAME);
  const late = setTimeout(() => socket.destroy(new Error('late')), TIMEOUT_MS);
  await over;
  clearTimeout(late);
  expect(socket.errored, 'the gateway hangs up').toBeNull();
  socket.destroy();
  return Buffer.concat(chunks);
}

test(`${CONVERSATIONS} conversations of mutated frames end well`, async () => {
  const { port, spent, stderr, expectHealthy } = await openGateway();
  let count = 0;
  let frames = 0;
  await check(conversation, CONVERSATIONS, async (steps) => {
    const before = spent();
    const bytes = await converse(port, steps);
    const head = bytes.indexOf('\r\n\r\n') + 4;
    expect(bytes.toString('latin1', 0, 12)).toBe('HTTP/1.1 101');
    for (const one of framesIn(bytes.subarray(head))) checkFrame(one);
    const mayRun = steps.some((step) => step.mayRun);
    expect(mayRun || spent() === before, 'nothing that could run, and nothing spent').toBe(true);
    frames += steps.length;
    count += 1;
    if (count % CHECK_EVERY === 0) await expectHealthy();
  });
  expect(frames).toBeGreaterThan(3000);
  await expectHealthy();
  expect(stderr(), 'raw lines on stderr').toBe('');
});
