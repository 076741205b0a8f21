import * as fc from 'fast-check';
import { type FuzzedRequest, request } from './requests.ts';

/** How requests become bytes: correctly, or in ways that break the framing of HTTP. */

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** As ordinary clients write it. */
export function written({ method, target, headers, body }: FuzzedRequest): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body || method === 'POST' ? [`content-length: ${body.length}`] : []),
  ];
  return latin1(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** In chunks of some size. */
export function chunked({ method, target, headers, body }: FuzzedRequest, size: number): Buffer {
  const pieces: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.slice(at, at + size);
    pieces.push(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  }
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'transfer-encoding: chunked',
  ];
  return latin1(`${lines.join('\r\n')}\r\n\r\n${pieces.join('')}0\r\n\r\n`);
}

/** Headers that contradict the body or each other. */
const contradiction = fc.constantFrom(
  'content-length: 5',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'content-length: x',
  'content-length: 3, 4',
  'content-length: 1048577',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: chunked\r\ntransfer-encoding: chunked',
  'expect: 100-continue',
  'expect: something',
  'connection: close',
  'connection: upgrade\r\nupgrade: websocket',
  'connection: upgrade\r\nupgrade: h2c',
  'host: other.example',
  'host:',
  'no header at all',
  ' folded: yes',
  'x: \0',
  `x: ${'x'.repeat(20_000)}`,
  ': nameless',
  'x : spaced',
);

const contradicted = fc
  .tuple(request, contradiction)
  .map(([one, line]) => latin1(written(one).toString('latin1').replace('\r\n', `\r\n${line}\r\n`)));

/** A piece of the message replaced by bytes. */
const damaged = fc
  .tuple(request, fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
  .map(([one, at, length, other]) => {
    const whole = written(one);
    const start = at % whole.length;
    return Buffer.concat([whole.subarray(0, start), other, whole.subarray(start + length)]);
  });

const cutOff = fc
  .tuple(request, fc.nat())
  .map(([one, at]) => written(one).subarray(0, at % written(one).length));

const brokenChunks = fc
  .tuple(
    request,
    fc.integer({ min: 1, max: 50 }),
    fc.nat(),
    fc.constantFrom('z', '-1', '\r\n', 'fffffffff', ';x=y', ''),
  )
  .map(([one, size, at, other]) => {
    const whole = chunked(one, size).toString('latin1');
    const from = whole.indexOf('\r\n\r\n') + 4;
    const place = from + (at % Math.max(1, whole.length - from));
    return latin1(whole.slice(0, place) + other + whole.slice(place + 1));
  });

const notHttp = fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw));

const startLines = fc.constantFrom(
  'GET /health HTTP/1.0\r\n\r\n',
  'GET /health HTTP/2.0\r\n\r\n',
  'GET /health\r\n\r\n',
  'GET  /health HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /health HTTP/1.1\nhost: x\n\n',
  'get /health HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /health HTTP/1.1\r\n\r\n',
  'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5),
  '\r\n\r\n\r\n',
  `GET /${'x'.repeat(30_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
);

/** Bytes that may or may not hold requests. */
export const broken: fc.Arbitrary<Buffer> = fc.oneof(
  { arbitrary: contradicted, weight: 4 },
  { arbitrary: damaged, weight: 4 },
  { arbitrary: cutOff, weight: 2 },
  { arbitrary: brokenChunks, weight: 3 },
  { arbitrary: notHttp, weight: 1 },
  { arbitrary: startLines.map(latin1), weight: 2 },
);
