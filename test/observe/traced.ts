import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { readReply } from '../reply.ts';

/** A gateway that is set up for traces, over a sandbox. */

type Env = Record<string, string>;

export async function openTraced(env: Env, options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const config = readConfig({ ...access(sandbox), DATA_DIR: temporaryFolder(), ...env });
  const app = await createApp(config, { log });
  /** Sends what is left. */
  const close = () => app.close(2000);
  onTestFinished(async () => {
    await close();
    await sandbox.close();
  });
  const fetch = (body: object, headers: Env = {}) =>
    app.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  const ask = async (query: string, headers: Env = {}) => {
    const response = await fetch({ query }, headers);
    return readReply(response.status, await response.text());
  };
  const told = () => lines.map((line) => JSON.parse(line));
  return { sandbox, fetch, ask, close, told };
}
