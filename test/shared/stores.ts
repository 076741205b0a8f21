import { temporaryFolder } from '../harness.ts';
import { rows } from './stored.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** The two places where processes share what they know, each for one test. */
export interface Store {
  /** Variables of all gateways of the test. */
  env: Record<string, string>;
  /** How many answers are stored. */
  stored(): Promise<number>;
}

async function openFile(): Promise<Store> {
  const DATA_DIR = temporaryFolder();
  return { env: { DATA_DIR }, stored: () => Promise.resolve(rows(DATA_DIR)) };
}

async function openServer(): Promise<Store> {
  const { url, command } = await startValkey();
  const stored = async () => {
    const keys = (await command('KEYS', '*:ends')) as string[];
    return keys[0] ? Number(await command('ZCARD', keys[0])) : 0;
  };
  return { env: { SHARED_URL: url }, stored };
}

/** For `describe.each`: the report names the tests that are skipped where no server is installed. */
export const STORES = [
  { name: 'in a file', open: openFile, isMissing: false },
  { name: 'on a server', open: openServer, isMissing: NO_SERVER },
];
