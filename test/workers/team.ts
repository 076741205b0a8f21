import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access, temporaryFolder } from '../harness.ts';
import { sum } from '../observe/admin.ts';
import { readExposition } from '../observe/exposition.ts';

/** Two workers over a sandbox, and the process that starts them. */

const TIMEOUT_MS = 20_000;

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

export async function startTeam(env: Record<string, string> = {}) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const own = { DATA_DIR: temporaryFolder(), WORKERS: '2', ...env };
  const gateway = startProcess({ ...access(sandbox), ...own });
  return { sandbox, ...(await talkTo(gateway)) };
}

export async function talkTo(gateway: ReturnType<typeof startProcess>) {
  const url = `${await gateway.url()}/graphql`;
  const [admin = ''] = /http:\S+\/(?=, metrics)/.exec(gateway.output.stdout) ?? [];
  const get = async (path: string) => (await fetch(admin + path)).text();
  const metrics = async () => readExposition(await get('metrics'));
  return {
    ...gateway,
    url,
    ask: (query: string, headers: Record<string, string> = {}) =>
      askOverNewConnection(url, query, headers),
    admin,
    get,
    metrics,
    /** The value of a metric, all labels together. */
    total: async (...of: [name: string, labels?: Record<string, string>]) =>
      sum(await metrics(), ...of),
    /** Returns the lines that are logged by now, without an incomplete last one. */
    lines: () => readLines(gateway.output.stdout),
    /** Resolves to the process ids by worker, once both have logged something. */
    async workers(): Promise<Record<number, number>> {
      const seen: Record<number, number> = {};
      await expect
        .poll(async () => {
          await askOverNewConnection(url, '{ __typename }');
          for (const { worker, pid } of readLines(gateway.output.stdout))
            if (worker !== undefined) seen[worker] = pid;
          return Object.keys(seen);
        })
        .toEqual(['1', '2']);
      return seen;
    },
  };
}

interface Line {
  pid: number;
  worker?: number;
  msg: string;
}

const readLines = (output: string): Line[] =>
  output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** Asks over a new connection. */
async function askOverNewConnection(
  url: string,
  query: string,
  headers: Record<string, string> = {},
) {
  const agent = new Agent({ keepAlive: false });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const sent = request(url, { method: 'POST', agent, headers: { ...JSON_HEADERS, ...headers } });
  sent.once('response', (response) => {
    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
  });
  sent.once('error', reject);
  // A connection may be on its way to a worker that is killed: then nobody answers it.
  sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer')));
  sent.end(JSON.stringify({ query }));
  return promise;
}
