import { temporaryFolder } from '../harness.ts';
import { forgetRows, rows } from './stored.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** The two places where processes share what they know, each for one test. */
export interface Store {
  /** Variables of all gateways of the test. */
  env: Record<string, string>;
  /** How many answers are stored. */
  stored(): Promise<number>;
  /** Removes all answers, and nothing else. */
  forget(): Promise<void>;
}

async function openFile(): Promise<Store> {
  const DATA_DIR = temporaryFolder();
  const forget = async () => forgetRows(DATA_DIR);
  return { env: { DATA_DIR }, stored: () => Promise.resolve(rows(DATA_DIR)), forget };
}

async function openServer(): Promise<Store> {
  const { url, command } = await startValkey();
  const stored = async () => {
    const keys = (await command('KEYS', '*:ends')) as string[];
    return keys[0] ? Number(await command('ZCARD', keys[0])) : 0;
  };
  const forget = async () => {
    for (const pattern of ['*:heads:*', '*:bodies:*'])
      for (const key of (await command('KEYS', pattern)) as string[]) await command('DEL', key);
  };
  return { env: { SHARED_URL: url }, stored, forget };
}

/** For `describe.each`: the report names the tests that are skipped if no server is installed. */
export const STORES = [
  { name: 'in a file', open: openFile, isMissing: false },
  { name: 'on a server', open: openServer, isMissing: NO_SERVER },
];
