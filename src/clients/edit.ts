import { parseEditedJson } from '../json.ts';
import { type Client, type ClientsContent, inOneLine, readClients } from './file.ts';

/** Edits of the content of CLIENTS_FILE, and clients as people type and read them. No edit changes its argument. */

/** Why an edit cannot be made, in one line. */
export class EditError extends Error {}

/** A client as it is written in the file. */
type WrittenClient = ClientsContent['clients'][number];

const MAX_KEYS = 2;

export const NO_CLIENTS: ClientsContent = { clients: [] };

/** Reads the text of the file. Throws EditError if the gateway would refuse it: people then have to fix it. */
export function contentOf(text: string): ClientsContent {
  refuse(readClients(text).problems);
  return parseEditedJson(text) as ClientsContent;
}

/** Returns the text to be written. Throws EditError if the gateway would refuse it. */
export function textOf(content: ClientsContent): string {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  refuse(readClients(text).problems);
  return text;
}

/** Returns a digest as it is written in the file. */
const writtenDigest = (digest: string): string => `sha256:${digest}`;

export function addClient(content: ClientsContent, client: WrittenClient): ClientsContent {
  const exists = content.clients.some(({ name }) => name === client.name);
  if (exists) throw new EditError(`client ${client.name} already exists`);
  return { ...content, clients: [...content.clients, client] };
}

/** Adds a key. The newest one so far remains valid; any older ones are removed. */
export function addKey(content: ClientsContent, name: string, digest: string): ClientsContent {
  return withKeys(content, name, (keys) => [...keys, writtenDigest(digest)].slice(-MAX_KEYS));
}

/** Returns the keys of a client that an edit has removed, each as the start of its digest. */
export function removedKeys(before: ClientsContent, after: ClientsContent, name: string): string[] {
  const keysIn = ({ clients }: ClientsContent) =>
    clients.find((client) => client.name === name)?.keys ?? [];
  const left = new Set(keysIn(after));
  return keysIn(before).flatMap((key) => (left.has(key) ? [] : [shortDigest(key)]));
}

/** Removes all keys except the newest. */
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

/** Throws EditError for an unknown name, quoted since a mistyped one may hold anything, line breaks included. */
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

/** Returns a client with its first key. Nothing is checked here: `problemsOf` does that. */
export function clientOf(name: string, digest: string, limits: Limits): WrittenClient {
  return {
    name,
    keys: [writtenDigest(digest)],
    persistedOnly: limits['persisted-only'],
    maxUnitsPerOperation: wholeNumberOf(limits['max-units-per-operation']),
    budgets: limits.budget?.map(budgetOf),
    operationsPerMinute: wholeNumberOf(limits['operations-per-minute']),
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
    limit: wholeNumberOf(limit.join(':')) ?? NaN,
  };
}

/** Returns NaN for a text that is not a whole number: no check accepts that. */
function wholeNumberOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  return /^\d+$/.test(written) ? Number(written) : NaN;
}

/** Returns as much of a digest as tells it from others; `digest` may have its prefix or not. */
const shortDigest = (digest: string) => digest.replace(/^sha256:/i, '').slice(0, 8);

/** Describes a client in one line, with as much of its digests as tells them apart. */
export function describe(client: Client): string {
  const { name, keys, maxUnitsPerOperation, operationsPerMinute, origins } = client;
  const starts = keys.map(shortDigest).join(' ');
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
