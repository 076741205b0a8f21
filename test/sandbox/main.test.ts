import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const MAIN = new URL('../../src/sandbox/main.ts', import.meta.url).pathname;

function run(...flags: string[]) {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const output = { text: '' };
  child.stdout.on('data', (chunk) => (output.text += String(chunk)));
  child.stderr.on('data', (chunk) => (output.text += String(chunk)));
  return { child, closed, output };
}

test('it prints settings to paste, serves by them, and stops on SIGTERM', async () => {
  const { child, closed, output } = run('--port', '0', '--credits', '7');
  while (!output.text.includes('GROUP_B_KEY=')) await once(child.stdout, 'data');
  const setting = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(output.text)?.[1];
  expect((await fetch(`${setting('GROUP_A_URL')}/health`)).status).toBe(200);
  const headers = { authorization: `apikey ${setting('GROUP_B_KEY')}` };
  const answer = await fetch(`${setting('GROUP_B_URL')}/crypto/prices`, { headers });
  expect(await answer.json()).toMatchObject({ creditsRemaining: 6 });
  child.kill('SIGTERM');
  const [code] = await closed;
  expect(code).toBe(0);
});

test('it explains its flags, and refuses those it does not know', async () => {
  const help = run('--help');
  expect(await help.closed).toEqual([0, null]);
  for (const flag of ['port', 'seed', 'credits', 'fx-quota', 'requests-per-second', 'latency']) {
    expect(help.output.text).toContain(`--${flag}`);
  }
  const unknown = run('--nope');
  expect(await unknown.closed).toEqual([1, null]);
  const wrong = run('--credits', 'many');
  expect(await wrong.closed).toEqual([1, null]);
  expect(wrong.output.text).toContain('--credits must be a whole number');
});
