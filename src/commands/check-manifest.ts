import pino from 'pino';
import { z } from 'zod';
import { createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { perMeter } from '../meters.ts';
import { asksForHelp } from '../config/arguments.ts';
import { commandLine, endWithReader } from './command-line.ts';
import { schema } from '../schema.ts';
import { createDescribePrice, type DryRun } from '../documents/price.ts';
import { reportManifest } from '../documents/report.ts';

/** `npm run check-manifest -- FILE…`: whether the gateway would serve these manifests, and at what price. */

const count = z.number();
const dryAnswer = z.object({
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).default([]),
  extensions: z.object({
    usage: z.object({
      estimate: z.object({ most: z.object(perMeter(() => count)) }).optional(),
    }),
  }),
});

/**
 * Opens a gateway over the sandbox whose cache is and stays empty: it serves dry runs only. Of the configuration only
 * the limit counts that bounds what an operation may cost.
 */
async function openDryGateway(): Promise<{ dryRun: DryRun; close(): Promise<void> }> {
  const name = 'MAX_UPSTREAM_REQUESTS_PER_OPERATION';
  const config = readConfig({ SANDBOX: '1', [name]: process.env[name] });
  const app = await createApp(config, { log: pino({ level: 'silent' }) });
  const json = 'application/json';
  const headers = { 'content-type': json, accept: json, 'x-usage-dry-run': '1' };
  return {
    async dryRun(query, variables) {
      const body = JSON.stringify({ query, variables });
      const request = new Request('http://gateway/graphql', { method: 'POST', headers, body });
      const answer = await app.fetch(request);
      const { errors, extensions } = dryAnswer.parse(await answer.json());
      // A field that is refused costs nothing; with other variables it may. One that the limit on requests refuses
      // costs nothing with any: the operation has spent all that it may.
      const isRefused = errors.some(
        (error) => error.extensions.code !== 'UPSTREAM_BUDGET_EXCEEDED',
      );
      return isRefused ? undefined : extensions.usage.estimate?.most;
    },
    close: () => app.close(),
  };
}

const USAGE = `usage: ${commandLine('check-manifest')} FILE…
Checks whether the gateway would serve all operations of these manifests and folders of documents, and prints what
each costs at most with an empty cache and sample variables. Others, such as longer lists, may cost more. Nothing is
sent to any upstream.`;

async function main(paths: readonly string[]): Promise<number> {
  const isHelp = asksForHelp(paths);
  if (isHelp || paths.length === 0) {
    (isHelp ? process.stdout : process.stderr).write(`${USAGE}\n`);
    return isHelp ? 0 : 2;
  }
  const { dryRun, close } = await openDryGateway();
  const today = new Date().toISOString().slice(0, 10);
  const describePrice = createDescribePrice(schema, today, dryRun);
  const { lines, problems } = await reportManifest(paths, schema, describePrice);
  await close();
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length > 0 ? 1 : 0;
}

endWithReader();
process.exitCode = await main(process.argv.slice(2));
