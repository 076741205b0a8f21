import { expect, test } from 'vitest';
import { type SandboxRequest, startSandbox } from '../../src/sandbox/sandbox.ts';
import { FRIDAY_NOON, open } from './harness.ts';

const PATHS = [
  ['A', '/health'],
  ['A', '/v1/fx/rates'],
  ['A', '/v1/fx/rates/GBPTRY/history?start=2026-01-01'],
  ['A', '/v1/macro/catalog?q=faiz'],
  ['A', '/v1/macro/series/TP.DK.EUR.S'],
  ['B', '/legislation/changes?start=2026-06-01'],
  ['B', '/calendar/events'],
  ['B', '/crypto/prices?limit=500&convert=EUR&exchange=kraken'],
] as const;

/** Paths whose answers depend on the seed: not the health check, nor the catalog. */
const SEEDED = PATHS.filter(([, path]) => path !== '/health' && !path.includes('catalog'));

async function bodiesOf(seed: number): Promise<unknown[]> {
  const { sandbox } = await open({ seed });
  return SEEDED.map(([group, path]) => sandbox.answer(group, path).body);
}

test('the same seed and moment give the same bodies, another seed gives others', async () => {
  const first = await bodiesOf(1);
  expect(await bodiesOf(1)).toEqual(first);
  for (const [index, body] of (await bodiesOf(2)).entries()) expect(body).not.toEqual(first[index]);
});

const withoutMeter = (body: unknown) => ({ ...Object(body), creditsRemaining: undefined });

test.each(PATHS)('answer() returns the answer to a request (%s %s)', async (group, path) => {
  const { sandbox, a, b } = await open();
  const expected = sandbox.answer(group, path);
  const got = await (group === 'A' ? a(path) : b(path));
  expect(got.status).toBe(expected.status);
  expect(withoutMeter(got.body)).toEqual(withoutMeter(expected.body));
});

test('answer() costs nothing and ignores faults', async () => {
  const { sandbox } = await open({ credits: 0 });
  sandbox.fault({ kind: 'hang' });
  expect(sandbox.answer('B', '/crypto/prices').status).toBe(200);
  expect(sandbox.answer('B', '/crypto/prices?limit=900').status).toBe(422);
  expect(sandbox.requests()).toEqual([]);
});

test('both groups live on one port, each below its prefix', async () => {
  const { sandbox } = await open();
  const origin = new URL(sandbox.groupA.url).origin;
  expect(sandbox.groupA.url).toBe(`${origin}/a`);
  expect(sandbox.groupB.url).toBe(`${origin}/b/v1`);
});

test('answers are JSON with a length, over a keep-alive connection', async () => {
  const { a } = await open();
  const { headers } = await a('/v1/fx/rates');
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(Number(headers.get('content-length'))).toBeGreaterThan(1000);
  expect(headers.get('connection')).toBe('keep-alive');
});

test('requests are listed in order of arrival with status, cost and time', async () => {
  const { a, b, sandbox } = await open();
  await a('/v1/fx/rates');
  await b('/crypto/prices?limit=501');
  const expected: SandboxRequest[] = [
    { group: 'A', path: '/v1/fx/rates', status: 200, cost: 1, at: FRIDAY_NOON },
    { group: 'B', path: '/crypto/prices?limit=501', status: 422, cost: 0, at: FRIDAY_NOON },
  ];
  expect(sandbox.requests()).toEqual(expected);
});

test('the peak of one URL counts requests that are in flight together', async () => {
  const { a, sandbox } = await open();
  const release = sandbox.fault({ kind: 'hold' });
  const answers = [
    a('/v1/fx/rates'),
    a('/v1/fx/rates'),
    a('/v1/fx/rates'),
    a('/v1/macro/catalog'),
    ...Array.from({ length: 5 }, () => a('/health')),
  ];
  await expect.poll(() => sandbox.requests()).toHaveLength(answers.length);
  release();
  await Promise.all(answers);
  expect(sandbox.peakSameUrl()).toBe(3);
});

test('closing ends requests that hang', async () => {
  const sandbox = await startSandbox();
  sandbox.fault({ kind: 'hang' });
  const hanging = fetch(`${sandbox.groupA.url}/health`).catch(() => 'ended');
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  await sandbox.close();
  expect(await hanging).toBe('ended');
});
