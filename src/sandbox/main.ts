import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { onceToldToEnd } from '../end-signals.ts';
import { startSandbox, type SandboxOptions } from './sandbox.ts';

/**
 * The command line of the sandbox (`npm run sandbox`): reads flags, starts it, and prints the settings that point a
 * gateway to it.
 */

/** Each flag takes a value; a limit that is not given is unlimited. */
const FLAGS = {
  port: { short: 'p', default: '4010', help: 'port to listen on; 0: any free port' },
  host: { default: '127.0.0.1', help: 'address to listen on' },
  seed: {
    short: 's',
    default: '1',
    help: 'seed of the data: the same seed and time give the same data',
  },
  'fx-quota': { help: 'FX requests per month (Group A)' },
  'macro-quota': { help: 'macro requests per month (Group A)' },
  credits: { help: 'credits per month (Group B)' },
  'requests-per-second': { help: 'requests per second (Group B)' },
  latency: { default: '0', help: 'delay before each answer, in milliseconds' },
  'bytes-per-second': { help: 'bytes sent per second on each connection' },
  'legislation-page-size': {
    help: 'maximum legislation records in an answer; total counts all matches',
  },
} as const satisfies Record<string, { short?: string; default?: string; help: string }>;

const write = (text: string) => process.stdout.write(`${text}\n`);

function help(): string {
  const lines = Object.entries(FLAGS).map(([name, flag]) => {
    const value = 'default' in flag ? flag.default : 'unlimited';
    return `  --${name.padEnd(22)} ${flag.help} (default ${value})`;
  });
  return [
    'Serves a stand-in for both upstream APIs, with synthetic data.',
    '',
    'Usage: npm run sandbox -- [flags]',
    '',
    ...lines,
    `  --${'help'.padEnd(22)} prints this text`,
  ].join('\n');
}

type Values = ReturnType<typeof parseArgs>['values'];

function parseFlags(args: string[]): Values {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const [name, flag] of Object.entries(FLAGS)) options[name] = { type: 'string', ...flag };
  return parseArgs({ args, options }).values;
}

/** A whole number; null when the flag is not given and has no default. */
function readNumber(values: Values, name: keyof typeof FLAGS): number | null {
  const given = values[name];
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^\d+$/.test(given)) {
    throw new Error(`--${name} must be a whole number`);
  }
  return Number(given);
}

function readOptions(values: Values): SandboxOptions {
  const number = (name: keyof typeof FLAGS) => readNumber(values, name);
  return {
    port: number('port')!,
    host: String(values['host']),
    seed: number('seed')!,
    fxQuota: number('fx-quota'),
    macroQuota: number('macro-quota'),
    credits: number('credits'),
    requestsPerSecond: number('requests-per-second'),
    latencyMs: number('latency')!,
    bytesPerSecond: number('bytes-per-second'),
    legislationPageSize: number('legislation-page-size'),
  };
}

async function serve(options: SandboxOptions): Promise<void> {
  const sandbox = await startSandbox(options);
  write('Sandbox of both upstream APIs; all data are synthetic. Settings to paste:\n');
  write(`GROUP_A_URL=${sandbox.groupA.url}`);
  write(`GROUP_A_KEY=${sandbox.groupA.key}`);
  write(`GROUP_B_URL=${sandbox.groupB.url}`);
  write(`GROUP_B_KEY=${sandbox.groupB.key}`);
  onceToldToEnd(process.env, sandbox.close);
}

async function main(args: string[]): Promise<void> {
  const values = parseFlags(args);
  if (values['help']) write(help());
  else await serve(readOptions(values));
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
