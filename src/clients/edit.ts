import { type Client, type ClientsContent, inOneLine, readClients } from './file.ts';

/** Edits of what CLIENTS_FILE holds, and how people write and read a client. No edit changes what it is given. */

/** Why an edit cannot be made, in one line. */
export class EditError extends Error {}

/** A client as it is written. */
export type WrittenClient = ClientsContent['clients'][number];

const MOST_KEYS = 2;

export const EMPTY: ClientsContent = { clients: [] };

/** Throws EditError where the gateway would refuse the file: such a one is for people to mend. */
export function contentOf(text: string): ClientsContent {
  refuse(readClients(text).problems);
  return JSON.parse(text) as ClientsContent;
}

/** Throws EditError rather than to write what the gateway would refuse. */
export function textOf(content: ClientsContent): string {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  refuse(readClients(text).problems);
  return text;
}

/** As digests are written. */
const writtenDigest = (digest: string): string => `sha256:${digest}`;

export function addClient(content: ClientsContent, client: WrittenClient): ClientsContent {
  const isThere = content.clients.some(({ name }) => name === client.name);
  if (isThere) throw new EditError(`there is a client ${client.name} already`);
  return { ...content, clients: [...content.clients, client] };
}

/** Adds a key to the newest one, which goes on working; any older ones end. */
export function addKey(content: ClientsContent, name: string, digest: string): ClientsContent {
  return withKeys(content, name, (keys) => [...keys, writtenDigest(digest)].slice(-MOST_KEYS));
}

/** The keys of a client that an edit has ended, as far as people tell them apart. */
export function endedKeys(before: ClientsContent, after: ClientsContent, name: string): string[] {
  const keysIn = ({ clients }: ClientsContent) =>
    clients.find((client) => client.name === name)?.keys ?? [];
  const left = new Set(keysIn(after));
  return keysIn(before).flatMap((key) => (left.has(key) ? [] : [startOf(key)]));
}

/** Ends all keys but the newest. */
export function keepNewestKey(content: ClientsContent, name: string): ClientsContent {
  return withKeys(content, name, (keys) => keys.slice(-1));
}

export function removeClient(content: ClientsContent, name: string): ClientsContent {
  refuseUnknown(content, name);
  return { ...content, clients: content.clients.filter((client) => client.name !== name) };
}

function withKeys(
  content: ClientsContent,
  name: string,
  change: (keys: readonly string[]) => string[],
): ClientsContent {
  refuseUnknown(content, name);
  const clients = content.clients.map((client) =>
    client.name === name ? { ...client, keys: change(client.keys) } : client,
  );
  return { ...content, clients };
}

/** A name that was mistyped may hold anything, line ends included. */
function refuseUnknown({ clients }: ClientsContent, name: string): void {
  if (!clients.some((client) => client.name === name))
    throw new EditError(`there is no client ${JSON.stringify(name)}`);
}

function refuse(problems: readonly string[]): void {
  const problem = inOneLine(problems);
  if (problem !== undefined) throw new EditError(problem);
}

/** Options of a command as they were typed. */
export interface Limits {
  'persisted-only'?: boolean | undefined;
  'max-units-per-operation'?: string | undefined;
  /** `METER:WINDOW:LIMIT` each. */
  budget?: string[] | undefined;
  'operations-per-minute'?: string | undefined;
  origin?: string[] | undefined;
  priority?: string | undefined;
}

/** A client with its first key. Nothing is checked here: `problemsOf` does it. */
export function clientOf(name: string, digest: string, limits: Limits): WrittenClient {
  return {
    name,
    keys: [writtenDigest(digest)],
    persistedOnly: limits['persisted-only'],
    maxUnitsPerOperation: wholeOf(limits['max-units-per-operation']),
    budgets: limits.budget?.map(budgetOf),
    operationsPerMinute: wholeOf(limits['operations-per-minute']),
    origins: limits.origin,
    priority: limits.priority?.toUpperCase() as WrittenClient['priority'],
  };
}

type WrittenBudget = NonNullable<WrittenClient['budgets']>[number];

function budgetOf(written: string): WrittenBudget {
  const [meter = '', window, ...limit] = written.toUpperCase().split(':');
  return {
    meter,
    window: window as WrittenBudget['window'],
    limit: wholeOf(limit.join(':')) ?? NaN,
  };
}

/** NaN for what is no number, which no check lets pass. */
function wholeOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  return /^\d+$/.test(written) ? Number(written) : NaN;
}

/** No more of a digest than tells it apart, whether it is written or read. */
const startOf = (digest: string) => digest.replace(/^sha256:/, '').slice(0, 8);

/** A client in one line, with no more of its digests than tells them apart. */
export function describe(client: Client): string {
  const { name, keys, maxUnitsPerOperation, operationsPerMinute, origins } = client;
  const starts = keys.map(startOf).join(' ');
  const parts = [
    `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}: ${starts}`,
    client.persistedOnly && 'persisted only',
    maxUnitsPerOperation !== undefined && `${maxUnitsPerOperation} units per operation`,
    ...client.budgets.map((one) => `${one.meter.toUpperCase()}:${one.window}:${one.limit}`),
    operationsPerMinute !== undefined && `${operationsPerMinute} operations per minute`,
    origins && `origins: ${origins.join(' ') || 'none'}`,
    `priority ${client.priority}`,
  ];
  return `${name}  ${parts.filter(Boolean).join(', ')}`;
}
