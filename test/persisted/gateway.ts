import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { listen } from '../../src/transport/node.ts';
import { sha256 } from '../../src/documents/ids.ts';
import { temporaryFolder } from '../harness.ts';
import { type Reply, readReply } from '../reply.ts';

/** A gateway that serves persisted operations over its own sandbox, for one test. */

/** Both modes of PERSISTED_ONLY. */
export const MODES = [
  { mode: 'with free text allowed', env: { PERSISTED_ONLY: '0' } },
  { mode: 'as an allow-list', env: { PERSISTED_ONLY: '1' } },
] as const;

export const ALLOW_LIST = { PERSISTED_ONLY: '1' };

/** An operation that costs nothing. */
export const QUERY =
  'query Listed($skip: Boolean = false) { __typename other: __typename @skip(if: $skip) }';
export const ID = sha256(QUERY);
export const DATA = { __typename: 'Query', other: 'Query' };

interface Answer extends Reply {
  headers: Headers;
  /** Of the first error. */
  code: unknown;
  message: string | undefined;
}

/** Content of a manifest file: a text, or anything else as JSON. */
export type Content = string | object;

export interface Persisted {
  url: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(body: unknown, path?: string, headers?: Record<string, string>): Promise<Answer>;
  log(): string;
}

export interface OpenOptions {
  /** Manifests by file name; by default one that lists QUERY. */
  files?: Record<string, Content>;
  /** Instead of `files`. */
  paths?: readonly string[];
  env?: Record<string, string>;
}

/** Creates a file, or replaces its content. */
export function write(folder: string, name: string, content: Content): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

export async function open({ files, paths, env = {} }: OpenOptions = {}): Promise<Persisted> {
  const folder = temporaryFolder();
  const listed = Object.entries(files ?? { 'manifest.json': { [ID]: QUERY } });
  const written = paths ?? listed.map(([name, content]) => write(folder, name, content));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const app = await createApp(readConfig({ PERSISTED_DOCUMENTS: written.join(','), ...env }), {
    log,
  });
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close(1000);
    await app.close();
  });
  return { ...connect(server.url), log: () => lines.join('') };
}

function connect(url: string) {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(url + path, init);
    const reply = readReply(response.status, await response.text());
    const [error] = reply.errors;
    const { headers } = response;
    return { ...reply, headers, code: error?.extensions.code, message: error?.message };
  }
  return {
    url,
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    post: (body: unknown, path = '/graphql', headers: Record<string, string> = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  };
}

/** The query string of a GET, as clients write it: values other than strings as JSON. */
export function search(parameters: Record<string, unknown>): string {
  const written = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `?${String(new URLSearchParams(written))}`;
}

/** What Apollo's clients send along with a query, or instead of it. */
export function apq(hash: string, version = 1) {
  return { extensions: { persistedQuery: { version, sha256Hash: hash } } };
}
