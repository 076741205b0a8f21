import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { reportManifest } from '../../src/documents/report.ts';
import { temporaryFolder } from '../harness.ts';
import { write } from './gateway.ts';

const MAIN = join(import.meta.dirname, '../../src/commands/check-manifest.ts');

async function check(...paths: string[]) {
  const child = spawn(process.execPath, [MAIN, ...paths], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { lines: '', problems: '' };
  child.stdout.on('data', (chunk) => (output.lines += String(chunk)));
  child.stderr.on('data', (chunk) => (output.problems += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

const GOOD = { a: 'query A { __typename }', b: '{ __typename }' };

test('it lists the operations of a manifest that would be served, and the units they can spend', async () => {
  const history = 'query H($pair: CurrencyPair!) { fxRate(pair: $pair) { history { change } } }';
  const live = 'subscription S { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
  const path = write(temporaryFolder(), 'm.json', { ...GOOD, h: history, s: live });
  expect(await check(path)).toEqual({
    code: 0,
    lines: [
      'A  fx 0–0  macro 0–0  credits 0–0',
      'b  fx 0–0  macro 0–0  credits 0–0',
      'H  fx 0–2  macro 0–0  credits 0–0',
      'S  no price',
      '',
    ].join('\n'),
    problems: '',
  });
});

test('it exits non-zero with one line per problem', async () => {
  const long = `query D {${'\n'.repeat(600)} y }`;
  const content = { ...GOOD, c: 'query C { x }', d: long, e: 'query {' };
  const path = write(temporaryFolder(), 'm.json', content);
  const { code, lines, problems } = await check(path);
  expect({ code, lines }).toEqual({ code: 1, lines: '' });
  expect(problems.trimEnd().split('\n')).toEqual([
    expect.stringContaining(
      `${path}: operation C: Cannot query field "x" on type "Query". (line 1, column 11)`,
    ),
    expect.stringContaining(
      `${path}: operation D: Cannot query field "y" on type "Query". (line 601, column 2)`,
    ),
    expect.stringContaining(`${path}: operation e: Syntax Error`),
  ]);
});

test('without a file it says how it is used', async () => {
  expect(await check()).toMatchObject({ code: 2, problems: expect.stringContaining('usage') });
});

test('a price is printed beside each operation', async () => {
  const path = write(temporaryFolder(), 'm.json', GOOD);
  const priceOf = async ({ body }: { body: string }) => `0 to ${body.length} units`;
  const { lines } = await reportManifest([path], schema, priceOf);
  expect(lines).toEqual(['A  0 to 22 units', 'b  0 to 14 units']);
});

test('it ends silently if its reader has left', async () => {
  const path = write(temporaryFolder(), 'm.json', GOOD);
  const child = spawn(process.execPath, [MAIN, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let problems = '';
  child.stderr.on('data', (chunk) => (problems += String(chunk)));
  expect([await once(child, 'close'), problems]).toEqual([[0, null], '']);
});
