import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  addClient,
  addKey,
  clientOf,
  describe,
  NO_CLIENTS,
  removedKeys,
  keepNewestKey,
  removeClient,
  textOf,
} from '../clients/edit.ts';
import { problemsOf, readClients } from '../clients/file.ts';
import { contentIn, replaceContent } from '../clients/edited-file.ts';
import { withoutKeys } from '../clients/key-shape.ts';
import { digestOf, newKey } from '../clients/keys.ts';
import { asksForHelp } from '../config/arguments.ts';
import { asError, errorCode } from '../maybe.ts';
import { commandLine, endWithReader } from './command-line.ts';

/** `npm run client -- COMMAND`: edits CLIENTS_FILE. A new key is shown once; only its digest is kept. */

const COMMAND_LINE = commandLine('client');
const FILE = resolve(process.env.CLIENTS_FILE || 'clients.json');

interface Command {
  /** Its arguments, and what it does. */
  help: string;
  /** Runs it; an error that it throws is printed in one line. */
  run(args: string[]): Promise<void>;
}

/** The commands by name; a further one is one more entry here. */
const COMMANDS = new Map<string, Command>([
  ['add', { help: 'NAME [LIMITS]     adds a client, and prints its key', run: add }],
  [
    'rotate',
    { help: 'NAME [--finish]   prints a second key; --finish ends the first', run: rotate },
  ],
  ['remove', { help: 'NAME              removes a client and its keys', run: remove }],
  ['list', { help: '                  lists clients with digest prefixes and limits', run: list }],
]);

const helpOf = ([name, { help }]: [string, Command]) => `  ${name.padEnd(6)} ${help}`;
const usage = () => `usage: ${COMMAND_LINE} COMMAND

${[...COMMANDS].map(helpOf).join('\n')}

LIMITS:
  --persisted-only              only operations of PERSISTED_DOCUMENTS
  --max-units-per-operation N
  --budget METER:WINDOW:LIMIT   e.g. CREDITS:DAY:500; repeat for each meter and window
  --operations-per-minute N
  --origin URL                  allowed web origin, e.g. https://app.example; repeat for each
  --priority P                  HIGH, NORMAL or LOW

A key is printed once and stored nowhere. The file is CLIENTS_FILE, or ./clients.json if that is not set:
${FILE}
`;

/** The arguments are wrong, whatever the file holds. */
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
  await replaceContent(FILE, (content) => addClient(content, client), NO_CLIENTS);
  explain(`${FILE}: client ${client.name} has been added. Its key is shown only this once:`);
  print(key);
}

async function rotate(args: string[]): Promise<void> {
  const options = { finish: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const name = nameIn(positionals);
  if (values.finish) {
    await replaceContent(FILE, (content) => keepNewestKey(content, name));
    return explain(`${FILE}: only the newest key of client ${name} is left`);
  }
  const key = newKey();
  let ended: string[] = [];
  await replaceContent(FILE, (content) => {
    const changed = addKey(content, name, digestOf(key));
    ended = removedKeys(content, changed, name);
    return changed;
  });
  const keys = ended.length === 1 ? 'a key' : 'keys';
  if (ended.length > 0) explain(`${FILE}: this ends ${keys} of client ${name}: ${ended.join(' ')}`);
  explain(`${FILE}: client ${name} has a new key. The previous one works until`);
  explain(`${COMMAND_LINE} rotate ${name} --finish. The new key is shown only this once:`);
  print(key);
}

async function remove(args: string[]): Promise<void> {
  const name = nameIn(parseArgs({ args, allowPositionals: true }).positionals);
  await replaceContent(FILE, (content) => removeClient(content, name));
  explain(`${FILE}: client ${name} has been removed`);
}

async function list(args: string[]): Promise<void> {
  parseArgs({ args });
  const { clients } = readClients(textOf(await contentIn(FILE)));
  explain(`${FILE}: ${clients.length} ${clients.length === 1 ? 'client' : 'clients'}`);
  for (const client of clients) print(describe(client));
}

function nameIn([name, ...others]: readonly string[]): string {
  if (name === undefined || others.length > 0) throw new UsageError('exactly one NAME is needed');
  return name;
}

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
    const isUsage = error instanceof UsageError || errorCode(error)?.startsWith('ERR_PARSE_ARGS');
    const message = withoutKeys(asError(error).message).replaceAll(/\s+/g, ' ');
    explain(isUsage ? `client: ${message} (see --help)` : `client: ${FILE}: ${message}`);
    return isUsage ? 2 : 1;
  }
}

endWithReader();
process.exitCode = await main(process.argv.slice(2));
