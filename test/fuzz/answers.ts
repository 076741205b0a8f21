import { z } from 'zod';
import { readReply, type Reply } from '../reply.ts';

/** Parses what a server writes, and throws if it is not HTTP or not what docs/clients.md promises. */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** How many bytes of the stream it takes. */
  length: number;
}

const END_OF_HEAD = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\w ]*$/;
const HEADER = /^([\w!#$%&'*+.^`|~-]+): ?([^\r\n\0]*)$/;

/** Returns the first answer in the bytes (as Latin-1); undefined if it is not complete yet. */
export function readAnswer(bytes: string, isHead: boolean, isOver: boolean): Answer | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.slice(0, end).split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? NaN);
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(first)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined) throw new Error(`no header: ${JSON.stringify(line)}`);
    headers[name.toLowerCase()] = value ?? '';
  }
  const start = end + END_OF_HEAD.length;
  const body = isHead || hasNoBody(status) ? [0, ''] : bodyOf(bytes, start, headers, isOver);
  if (!body) return undefined;
  const [size, raw] = body as [number, string];
  return { status, headers, length: start + size, body: Buffer.from(raw, 'latin1').toString() };
}

const hasNoBody = (status: number) => status < 200 || status === 204 || status === 304;

type Body = readonly [length: number, text: string] | undefined;

function bodyOf(bytes: string, start: number, headers: Answer['headers'], isOver: boolean): Body {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === 'chunked') return chunksOf(bytes, start);
  if (length === undefined) return isOver ? [bytes.length - start, bytes.slice(start)] : undefined;
  if (!/^\d+$/.test(length)) throw new Error(`content-length: ${length}`);
  const end = start + Number(length);
  return bytes.length < end ? undefined : [Number(length), bytes.slice(start, end)];
}

function chunksOf(bytes: string, start: number): Body {
  let text = '';
  for (let at = start; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = bytes.slice(at, end);
    if (!/^[\da-f]+$/i.test(size)) throw new Error(`chunk of ${JSON.stringify(size)} bytes`);
    const next = end + 2 + parseInt(size, 16);
    if (bytes.length < next + 2) return undefined;
    text += bytes.slice(end + 2, next);
    if (bytes.slice(next, next + 2) !== '\r\n') throw new Error('a chunk without an end');
    if (next === end + 2) return [next + 2 - start, text];
    at = next + 2;
  }
}

const status = z.strictObject({ status: z.enum(['ok', 'ready', 'stopping']) });

/** Returns the GraphQL responses in an answer: none in plain ones. Throws for anything undocumented. */
export function repliesIn({ status: code, headers, body }: Answer): Reply[] {
  const type = headers['content-type'] ?? '';
  if (body === '') return [];
  if (/^application\/(graphql-response\+)?json/.test(type))
    return status.safeParse(JSON.parse(body)).success ? [] : [readReply(code, body)];
  if (type.startsWith('text/event-stream'))
    return [...body.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => readReply(code, data));
  if (type.startsWith('multipart/mixed'))
    return [...body.matchAll(/^\{.*\}$/gm)].map(([part]) => readReply(code, part));
  const isPage = code === 200 && /^(text\/(html|css|javascript)|font\/|image\/)/.test(type);
  if (isPage) return [];
  // What the package ws answers to an invalid handshake.
  if (code >= 400 && /^[\w -]{1,80}$/.test(body)) return [];
  throw new Error(`neither a response nor a plain body: ${code} ${type} ${body.slice(0, 200)}`);
}
