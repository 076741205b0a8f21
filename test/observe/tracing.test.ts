import { expect, test } from 'vitest';
import { KIND, named, type ReceivedSpan, STATUS } from './collector.ts';
import { openCollected as open, PARENT_ID, RATES, TRACE_ID, traceparent } from './traced.ts';

/** What a trace collector receives: it agrees with the answers and the upstream. */

const HISTORY = `query History { fxRate(pair: "USDTRY") {
  history(start: "2026-11-16", end: "2026-11-18") { change } } }`;

const milliseconds = ({ startTimeUnixNano, endTimeUnixNano }: ReceivedSpan) =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6;

test('an operation and its upstream requests are spans of the trace that the client has started', async () => {
  const { ask, spans, sandbox, collector } = await open({ OTEL_SERVICE_NAME: 'rates' });
  sandbox.fault({ kind: 'delay', delayMs: 50, path: '/v1/fx/rates/' });
  const { extensions } = await ask(HISTORY, {
    traceparent: traceparent('01'),
    tracestate: 'vendor=value',
  });
  const [operation, ...others] = named(await spans(), 'query History');
  expect(others).toEqual([]);
  expect(operation).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: PARENT_ID,
    traceState: 'vendor=value',
    kind: KIND.SERVER,
    status: { code: STATUS.UNSET },
    attributes: {
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'History',
      'marketgraph.by': 'execution',
      'marketgraph.cache': 'miss',
      'marketgraph.requests': 2,
      'marketgraph.units.fx': extensions.usage.fx.used,
      'marketgraph.errors': 0,
    },
  });
  const parts = collector.spans.filter(({ kind }) => kind === KIND.CLIENT);
  expect(parts.map(({ name }) => name).toSorted()).toEqual([
    'GET /v1/fx/rates',
    'GET /v1/fx/rates/{pair}/history',
  ]);
  for (const part of parts) {
    expect([part.traceId, part.parentSpanId]).toEqual([TRACE_ID, operation!.spanId]);
    expect(part.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(sandbox.groupA.url).port),
      'marketgraph.result': 'ok',
      'marketgraph.units': 1,
      'marketgraph.retry': false,
    });
    expect(milliseconds(part)).toBeLessThanOrEqual(milliseconds(operation!));
  }
  const [history] = named(parts, 'GET /v1/fx/rates/{pair}/history');
  expect(milliseconds(history!)).toBeGreaterThan(45);
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'rates' });
});

test('no key, and no argument of a query, leaves in a span', async () => {
  const { ask, spans, sandbox, collector } = await open();
  await ask(HISTORY);
  await ask('{ cryptoAssets(first: 1) { nodes { symbol price } } }');
  expect((await spans()).length).toBeGreaterThan(3);
  const text = collector.requests.map((request) => request.text).join('');
  for (const secret of [sandbox.groupA.key, sandbox.groupB.key, 'start=', 'USDTRY', '2026-11-16'])
    expect(text).not.toContain(secret);
});

test('a key of a client is not sent on, in the name of an operation or in tracestate', async () => {
  const { ask, spans, collector } = await open();
  const key = `mg_${'a1B2'.repeat(10)}xyz`;
  const headers = { traceparent: traceparent('01'), tracestate: `vendor=${key}` };
  await ask(RATES.replace('Rates', `Rates_${key}`), headers);
  expect((await spans())[0]).toMatchObject({ traceId: TRACE_ID });
  expect(collector.requests.map(({ text }) => text).join('')).not.toContain(key);
});

test('an operation that joins a request of another one is linked to that one', async () => {
  const { ask, spans, sandbox } = await open();
  sandbox.fault({ kind: 'delay', delayMs: 100 });
  const other = RATES.replace('Rates', 'Joining');
  const [, joining] = await Promise.all([ask(RATES), ask(other)]);
  expect(joining?.extensions.usage.upstream.coalesced).toBe(1);
  const all = await spans();
  const [owner, joined] = ['query Rates', 'query Joining'].map((name) => named(all, name)[0]!);
  expect(joined!.traceId).not.toBe(owner!.traceId);
  expect(joined!.links).toMatchObject([{ traceId: owner!.traceId, spanId: owner!.spanId }]);
  expect(joined!.attributes).toMatchObject({ 'marketgraph.joined': 1, 'marketgraph.requests': 0 });
  expect(owner!.links).toEqual([]);
  const requests = all.filter(({ kind }) => kind === KIND.CLIENT);
  expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual([owner!.spanId]);
});

test('kept answers, refusals and failures are told apart', async () => {
  const { ask, spans, sandbox, logLines } = await open();
  await ask(RATES);
  await ask(RATES);
  await ask('query Wrong { nothing }');
  sandbox.fault({ kind: 'status', status: 500 });
  await ask('query Failing { cryptoAssets(first: 1) { nodes { symbol } } }');
  const all = await spans();
  const about = (span: ReceivedSpan) => [
    span.attributes['marketgraph.by'],
    span.attributes['marketgraph.cache'],
    span.status.code,
    span.attributes['error.type'],
  ];
  expect(named(all, 'query Rates').map(about)).toEqual([
    ['execution', 'miss', STATUS.UNSET, undefined],
    ['kept answer', 'kept', STATUS.UNSET, undefined],
  ]);
  expect(named(all, 'GraphQL').map(about)).toEqual([
    ['refusal', 'none', STATUS.UNSET, 'GRAPHQL_VALIDATION_FAILED'],
  ]);
  const [failing] = named(all, 'query Failing');
  expect(about(failing!)).toEqual(['execution', 'miss', STATUS.ERROR, 'UPSTREAM_UNAVAILABLE']);
  const requests = named(all, 'GET /crypto/prices').map(({ attributes, status }) => [
    attributes['http.response.status_code'],
    attributes['marketgraph.retry'],
    attributes['marketgraph.units'],
    status.code,
  ]);
  expect(requests).toEqual([
    [500, false, 0, STATUS.ERROR],
    [500, true, 0, STATUS.ERROR],
  ]);
  const lines = logLines().filter(({ msg }) => msg === 'operation');
  const operations = all.filter(({ kind }) => kind === KIND.SERVER);
  expect(lines).toHaveLength(operations.length);
  expect(new Set(lines.map((line) => line.trace_id))).toEqual(
    new Set(operations.map(({ traceId }) => traceId)),
  );
});

test('every event of a subscription is a span, and so is the poll that brought it', async () => {
  const { fetch, spans } = await open();
  const query = 'subscription Live { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';
  const headers = { accept: 'text/event-stream', traceparent: traceparent('01') };
  const reader = (await fetch({ query }, headers)).body!.pipeThrough(new TextDecoderStream());
  for await (const chunk of reader) if (chunk.includes('data: {')) break;
  const all = await spans();
  const [event, ...others] = named(all, 'subscription Live');
  expect(others).toEqual([]);
  expect(event).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, kind: KIND.SERVER });
  const [poll] = named(all, 'poll');
  const [request] = named(all, 'GET /v1/fx/rates');
  expect(poll).toMatchObject({ kind: KIND.INTERNAL });
  expect([request!.traceId, request!.parentSpanId]).toEqual([poll!.traceId, poll!.spanId]);
});
