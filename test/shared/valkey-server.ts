import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { runValkey, SERVER_PROGRAM, type ValkeyServer } from '../valkey.ts';

export type { ValkeyServer } from '../valkey.ts';

/** For `test.skipIf`: the report names the tests that are skipped if no server is installed. */
export const NO_SERVER = SERVER_PROGRAM === undefined;

/** A real Valkey or Redis server for one test. */
export async function startValkey(...options: string[]): Promise<ValkeyServer> {
  const server = await runValkey(temporaryFolder(), options);
  onTestFinished(server.kill);
  return server;
}
