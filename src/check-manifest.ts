import { schema } from './schema.ts';
import { reportManifest } from './server/persisted/report.ts';

/** `npm run check-manifest -- FILE…`: whether the gateway would serve these manifests. */
async function main(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) {
    process.stderr.write('usage: npm run check-manifest -- FILE…\n');
    return 2;
  }
  const { lines, problems } = await reportManifest(paths, schema);
  for (const line of lines) process.stdout.write(`${line}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
