import { expect, test } from 'vitest';
import { named, startCollector } from './collector.ts';
import {
  openCollected as open,
  openTraced,
  PARENT_ID,
  RATES,
  TRACE_ID,
  traceparent,
} from './traced.ts';

/** Which operations are recorded, and where they are sent. */

test.each([
  ['the client records nothing', {}, '00'],
  ['the sampler is always_off', { OTEL_TRACES_SAMPLER: 'always_off' }, '01'],
  [
    'operations without a parent are not sampled',
    { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    '',
  ],
  [
    'the ratio is zero',
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    '01',
  ],
  ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }, '01'],
])('nothing is sent if %s', async (_case, env, flags) => {
  const { ask, spans, collector } = await open(env);
  const headers: Record<string, string> = flags ? { traceparent: traceparent(flags) } : {};
  const { errors } = await ask(RATES, headers);
  expect(errors).toEqual([]);
  await ask(RATES, headers);
  expect(await spans()).toEqual([]);
  expect(collector.requests).toEqual([]);
});

test('about the configured share of operations is recorded', async () => {
  const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
  const { ask, spans } = await open(ratio);
  for (let i = 0; i < 400; i += 1) await ask(RATES);
  const recorded = named(await spans(), 'query Rates').length;
  // Chance exceeds these bounds once in 10^9 runs.
  expect(recorded).toBeGreaterThan(140);
  expect(recorded).toBeLessThan(260);
});

test.each([
  '',
  'x',
  `00-${TRACE_ID}-${PARENT_ID}`,
  `ff-${TRACE_ID}-${PARENT_ID}-01`,
  `00-${'0'.repeat(32)}-${PARENT_ID}-01`,
])('a header without a valid trace begins a new one: %j', async (header) => {
  const { ask, spans } = await open();
  await ask(RATES, { traceparent: header });
  const [operation] = named(await spans(), 'query Rates');
  expect(operation!.traceId).not.toBe(TRACE_ID);
  expect(operation!.parentSpanId ?? '').toBe('');
});

test('the collector gets its own address, headers and attributes', async () => {
  const collector = await startCollector();
  const { ask, close } = await openTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b, x-other=c',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  await ask(RATES);
  await close();
  const [request] = collector.requests;
  expect(request).toMatchObject({
    path: '/own/path',
    headers: { 'x-token': 'a b', 'x-other': 'c', 'content-type': 'application/json' },
  });
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'marketgraph',
    'deployment.environment.name': 'test',
  });
});
