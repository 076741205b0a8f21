import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  addClient,
  addKey,
  clientOf,
  contentOf,
  describe,
  EditError,
  EMPTY,
  keepNewestKey,
  removeClient,
  textOf,
} from '../clients/edit.ts';
import { type ClientsContent, problemsOf, readClients } from '../clients/file.ts';
import { digestOf, newKey } from '../clients/keys.ts';
import { asksForHelp, commandLine } from './command-line.ts';

/** `npm run client -- COMMAND`: edits CLIENTS_FILE. A new key is shown once; only its digest is kept. */

const COMMAND_LINE = commandLine('client');
const FILE = resolve(process.env.CLIENTS_FILE || 'clients.json');
/** The digests are no secret, but who has which limits is nobody else's business. */
const MODE_OF_NEW = 0o600;
const MODE_BITS = 0o7777;

interface Command {
  /** Its arguments, and what it does. */
  help: string;
  /** Errors are told in one line. */
  run(args: string[]): Promise<void>;
}

/** A further command is one more line here. */
const COMMANDS = new Map<string, Command>([
  ['add', { help: 'NAME [LIMITS]     adds a client, and prints its key', run: add }],
  [
    'rotate',
    { help: 'NAME [--finish]   prints a second key; --finish ends the first', run: rotate },
  ],
  ['remove', { help: 'NAME              ends a client and its keys', run: remove }],
  ['list', { help: '                  clients, starts of their digests, limits', run: list }],
]);

const helpOf = ([name, { help }]: [string, Command]) => `  ${name.padEnd(6)} ${help}`;
const usage = () => `usage: ${COMMAND_LINE} COMMAND

${[...COMMANDS].map(helpOf).join('\n')}

LIMITS:
  --persisted-only              only operations of PERSISTED_DOCUMENTS
  --max-units-per-operation N
  --budget METER:WINDOW:LIMIT   e.g. CREDITS:DAY:500; once for each meter and window
  --operations-per-minute N
  --origin URL                  whose pages may ask, e.g. https://app.example; once for each
  --priority P                  HIGH, NORMAL or LOW

A key is printed once and kept nowhere. The file is that of CLIENTS_FILE, else ./clients.json:
${FILE}
`;

/** What was typed makes no sense, whatever the file holds. */
class UsageError extends Error {}

const LIMITS = {
  'persisted-only': { type: 'boolean' },
  'max-units-per-operation': { type: 'string' },
  budget: { type: 'string', multiple: true },
  'operations-per-minute': { type: 'string' },
  origin: { type: 'string', multiple: true },
  priority: { type: 'string' },
} as const;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const explain = (line: string) => void process.stderr.write(`${line}\n`);

async function add(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: LIMITS });
  const key = newKey();
  const client = clientOf(nameIn(positionals), digestOf(key), values);
  const [problem] = problemsOf(client);
  if (problem !== undefined) throw new UsageError(problem);
  await change((content) => addClient(content, client), EMPTY);
  explain(`${FILE}: client ${client.name} is added. Its key is shown only now:`);
  print(key);
}

async function rotate(args: string[]): Promise<void> {
  const options = { finish: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const name = nameIn(positionals);
  if (values.finish) {
    await change((content) => keepNewestKey(content, name));
    return explain(`${FILE}: only the newest key of client ${name} is left`);
  }
  const key = newKey();
  await change((content) => addKey(content, name, digestOf(key)));
  explain(`${FILE}: client ${name} has a further key. The one before works until`);
  explain(`${COMMAND_LINE} rotate ${name} --finish. The new key is shown only now:`);
  print(key);
}

async function remove(args: string[]): Promise<void> {
  const name = nameIn(parseArgs({ args, allowPositionals: true }).positionals);
  await change((content) => removeClient(content, name));
  explain(`${FILE}: client ${name} is removed`);
}

async function list(args: string[]): Promise<void> {
  parseArgs({ args });
  const { clients } = readClients(textOf(await contentIn(FILE)));
  explain(`${FILE}: ${clients.length} ${clients.length === 1 ? 'client' : 'clients'}`);
  for (const client of clients) print(describe(client));
}

function nameIn([name, ...others]: readonly string[]): string {
  if (name === undefined || others.length > 0) throw new UsageError('one NAME is needed');
  return name;
}

/**
 * Replaces the file in one step. The new one is a lock until then: of two commands at a time, one would
 * write over what the other has printed a key for.
 */
async function change(
  edit: (content: ClientsContent) => ClientsContent,
  ifMissing?: ClientsContent,
): Promise<void> {
  // What a link leads to is replaced, not the link.
  const target = await realpath(FILE).catch(() => FILE);
  const next = `${target}.new`;
  const handle = await open(next, 'wx', MODE_OF_NEW).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new EditError(`another command is at work, or was killed: then remove ${next}`);
  });
  try {
    try {
      await fill(handle, target, textOf(edit(await contentIn(target, ifMissing))));
    } finally {
      await handle.close();
    }
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Whoever could read the file can read the new one, and nobody else. */
async function fill(next: FileHandle, target: string, text: string): Promise<void> {
  const before = await stat(target).catch(() => undefined);
  const { uid, gid } = await next.stat();
  if (before && (before.uid !== uid || before.gid !== gid))
    await next.chown(before.uid, before.gid);
  if (before) await next.chmod(before.mode & MODE_BITS);
  await next.writeFile(text);
  await next.sync();
}

async function contentIn(path: string, ifMissing?: ClientsContent): Promise<ClientsContent> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  if (text !== undefined) return contentOf(text);
  if (ifMissing) return ifMissing;
  throw new EditError('there is no such file');
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

async function main([name = '', ...args]: string[]): Promise<number> {
  if (asksForHelp([name, ...args])) {
    process.stdout.write(usage());
    return 0;
  }
  try {
    const command = COMMANDS.get(name);
    if (!command)
      throw new UsageError(`the command must be one of ${[...COMMANDS.keys()].join(', ')}`);
    await command.run(args);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || codeOf(error).startsWith('ERR_PARSE_ARGS');
    const told = error instanceof Error ? error.message : String(error);
    const message = told.replaceAll(/\s+/g, ' ');
    explain(isUsage ? `client: ${message} (--help tells more)` : `client: ${FILE}: ${message}`);
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
