import { once } from 'node:events';
import { createServer } from 'node:http';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createTracing } from '../../src/observe/tracing.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { startCollector } from './collector.ts';
import { openTraced } from './traced.ts';

/** Tracing disturbs neither the upstream nor clients, whatever happens to the collector. */

const RATES = '{ fxRates(first: 1) { nodes { pair } } }';
/** Closing takes two seconds at most, and longer on a busy machine; by its defaults the exporter would take ten. */
const MAX_CLOSE_MS = 8000;
const LOST_MESSAGE = 'traces cannot be delivered';

async function openTroubled(url: string) {
  const traced = await openTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  for (let i = 0; i < 20; i += 1) expect((await traced.ask(RATES)).errors).toEqual([]);
  const startedAt = performance.now();
  await traced.close();
  return { closeMs: performance.now() - startedAt, logLines: traced.logLines };
}

test('an unreachable collector: answers arrive, the log says so once, and the gateway stops in time', async () => {
  const { closeMs, logLines } = await openTroubled('http://127.0.0.1:1');
  expect(closeMs).toBeLessThan(MAX_CLOSE_MS);
  const lines = logLines().filter(({ msg }) => msg === LOST_MESSAGE);
  expect(lines).toHaveLength(1);
});

test.each([
  [503, 'OTLPExporterError'],
  ['never', 'Request timed out'],
] as const)('a collector that answers %s: the log says why', async (answers, expected) => {
  const collector = await startCollector(answers);
  const { closeMs, logLines } = await openTroubled(collector.url);
  expect(collector.requests.length).toBeGreaterThan(0);
  expect(closeMs).toBeLessThan(MAX_CLOSE_MS);
  const reasons = () =>
    logLines().flatMap(({ msg, reason }) => (msg === LOST_MESSAGE ? [reason] : []));
  await expect.poll(reasons).toEqual([expected]);
});

/** Stands in front of Group A of the sandbox, and records the headers that arrive. */
async function startRecorder(target: string) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(
      ...request.rawHeaders.filter((_text, i) => i % 2 === 0).map((name) => name.toLowerCase()),
    );
    const headers = {
      'x-api-key': String(request.headers['x-api-key'] ?? ''),
      authorization: request.headers.authorization ?? '',
    };
    void fetch(target + request.url, { headers }).then(async (reply) =>
      response.writeHead(reply.status).end(await reply.text()),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, seen };
}

async function headersSent(env: Record<string, string>): Promise<string[]> {
  const sandbox = await startSandbox();
  const recorder = await startRecorder(sandbox.groupA.url);
  const upstream = { ...access(sandbox), GROUP_A_URL: recorder.url, DATA_DIR: temporaryFolder() };
  const log = pino({ level: 'silent' });
  const app = await createApp(readConfig({ ...upstream, ...env }), { log });
  onTestFinished(async () => {
    await app.close();
    await sandbox.close();
  });
  const headers = {
    'content-type': 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=value',
    baggage: 'who=me',
  };
  const body = JSON.stringify({ query: RATES });
  const response = await app.fetch(
    new Request('http://localhost/graphql', { method: 'POST', headers, body }),
  );
  expect((await response.json()).errors).toBeUndefined();
  return recorder.seen;
}

test('the upstream gets the same headers with traces as without', async () => {
  const collector = await startCollector();
  const without = await headersSent({});
  const traced = await headersSent({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(without.length).toBeGreaterThan(2);
  expect(traced).toEqual(without);
  expect(traced).not.toContain('traceparent');
});

test('a collector that is too slow for the number of spans: the log says so once', async () => {
  const { url, spans } = await startCollector('slowly');
  const events: string[] = [];
  const onTrouble = {
    begins: (reason: string) => void events.push(reason),
    ends: () => void events.push('over'),
  };
  const { tracing } = readConfig({});
  const { begin, close } = createTracing({ ...tracing, endpoint: url, onTrouble });
  const trace = () =>
    begin('operation', {})?.end({ name: 'query', attributes: {}, failure: undefined });
  for (let i = 0; i < 10_000; i += 1) trace();
  expect(events).toEqual(['the collector is too slow: spans are dropped']);
  await expect.poll(() => spans.length).toBeGreaterThan(8000);
  trace();
  await close(2000);
  expect(events).toEqual(['the collector is too slow: spans are dropped', 'over']);
});
