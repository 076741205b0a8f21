import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, open, type OpenOptions, temporaryFolder } from '../harness.ts';
import { readReply, type Reply } from '../reply.ts';

/** A gateway whose clients have names, keys and budgets. */

interface ClientEntry {
  name: string;
  keys?: string[];
  [field: string]: unknown;
}

export interface Keys {
  bench: Bench;
  /** Path of CLIENTS_FILE. */
  path: string;
  /** Variables of another gateway with the same clients. */
  env: Record<string, string>;
  keyOf: Record<string, string>;
  digestsOf(client: string): string[];
  /** Writes the file anew, as an operator would. */
  write(clients: readonly ClientEntry[]): void;
  /** Sends an operation with a client's key. */
  ask<T = unknown>(client: string, query: string, variables?: object): Promise<Reply<T>>;
  headersOf(client: string): Record<string, string>;
}

const digestOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

export async function openKeys(
  clients: readonly ClientEntry[],
  options: OpenOptions = {},
): Promise<Keys> {
  const keyOf = Object.fromEntries(
    clients.map(({ name }) => [name, `mg_${randomBytes(32).toString('base64url')}`]),
  );
  const digestsOf = (client: string) => [digestOf(keyOf[client]!)];
  const path = join(temporaryFolder(), 'clients.json');
  const write = (entries: readonly ClientEntry[]) => {
    const withKeys = entries.map((entry) => ({
      ...entry,
      keys: entry.keys ?? digestsOf(entry.name),
    }));
    writeFileSync(path, JSON.stringify({ clients: withKeys }));
  };
  write(clients);
  const env = { CLIENTS_FILE: path };
  const bench = await open({ ...options, env: { ...options.env, ...env } });
  const headersOf = (client: string) => ({ authorization: `Bearer ${keyOf[client]}` });
  return {
    bench,
    path,
    env,
    keyOf,
    digestsOf,
    write,
    headersOf,
    ask: async (client: string, query: string, variables?: object) => {
      const reply = await bench.send({
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(client) },
        body: JSON.stringify({ query, variables }),
      });
      return { ...reply, data: reply.data as never };
    },
  };
}

/** Sends any request; its answer need not carry an account. */
export async function request(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, body: text ? JSON.parse(text) : undefined };
}

export const post = (query: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ query }),
});

export const replyIn = ({ status, text }: { status: number; text: string }) =>
  readReply(status, text);
