import { createHash } from 'node:crypto';
import { request } from 'undici';
import type { Operation } from './speed-operations.ts';

/** Sends single requests; throws if an answer is not a success. */

export async function ask(
  url: string,
  operation: Operation | object,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(operation),
  });
  const text = await body.text();
  if (statusCode !== 200 || text.includes('"errors":'))
    throw new Error(`${url}: ${statusCode} ${text.slice(0, 1000)}`);
  return text;
}

/** Registers the document, and returns the address at which a GET asks for it by its hash. */
export async function persist(url: string, operation: Operation): Promise<string> {
  const { query, operationName, variables } = operation;
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  await ask(url, { ...operation, extensions });
  const address = new URL(url);
  address.searchParams.set('operationName', operationName);
  address.searchParams.set('variables', JSON.stringify(variables));
  address.searchParams.set('extensions', JSON.stringify(extensions));
  return address.href;
}

/** Tells the raw server what to send at a path, and returns the address. */
export async function putRaw(url: string, path: string, bytes: string): Promise<string> {
  const address = new URL(path, url).href;
  await request(address, { method: 'PUT', body: bytes }).then(({ body }) => body.dump());
  return address;
}
