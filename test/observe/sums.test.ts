import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { METERS, perMeter } from '../../src/meters.ts';
import { readReply, type Reply } from '../reply.ts';
import { openAdmin, sum } from './admin.ts';

/** Whatever is asked over whichever transport, metrics agree with the answers and with the upstream's count. */

const FX = 'query Fx { fxRate(pair: "USDTRY") { buying history { change } } }';
const CRYPTO = 'query Crypto { cryptoAssets(first: 3) { nodes { symbol } } }';
const MIXED = `query Mixed { ${[
  'calendarEvents(first: 1) { nodes { id } }',
  'legislationChanges(first: 1) { nodes { id } }',
  'macroSeries(code: "TP.DK.USD.A") { name observations { change } }',
  'health { ok }',
].join(' ')} }`;
const LIVE = 'subscription Live { cryptoAssetsUpdated(symbols: ["BTC"]) { symbol } }';

function persistedGet(query: string): Request {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash } });
  const search = new URLSearchParams({ extensions });
  return new Request(`http://localhost/graphql?${String(search)}`);
}

async function mixedTrace(gateway: Awaited<ReturnType<typeof openAdmin>>): Promise<Reply[]> {
  const { ask, send, post, app, sandbox } = gateway;
  const replies: Reply[] = [];
  const note = async (reply: Promise<Reply>) => void replies.push(await reply);
  for (const query of [FX, MIXED, FX, '{ nothing }']) await note(ask(query));
  await Promise.all([CRYPTO, `${CRYPTO} # joins`].map((query) => note(ask(query))));
  const extensions = { persistedQuery: { version: 1, sha256Hash: '' } };
  extensions.persistedQuery.sha256Hash = createHash('sha256').update(FX).digest('hex');
  await note(send(post({ query: FX, extensions })));
  for (let i = 0; i < 3; i += 1) await note(send(persistedGet(FX)));
  await note(
    ask('query Dry { macroCatalog(first: 1) { nodes { code } } }', { 'x-usage-dry-run': '1' }),
  );
  sandbox.fault({ kind: 'status', status: 503, times: 1 });
  await note(
    ask('query Retried { macroCatalog(filter: { search: "usd" }, first: 1) { nodes { code } } }'),
  );
  const clear = sandbox.fault({ kind: 'status', status: 500 });
  await note(ask('query Failed { cryptoAsset(symbol: "OBSCURE1") { symbol } }'));
  clear();
  let text = '';
  const events = await app.fetch(post({ query: LIVE }, { accept: 'text/event-stream' }));
  for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, data] = /^data: (\{.*)\n\n/m.exec(text) ?? [];
    if (data === undefined) continue;
    replies.push(readReply(200, data));
    break;
  }
  return replies;
}

test('the sums of a mixed trace are those of all answers, and of the upstream', async () => {
  const gateway = await openAdmin();
  const replies = await mixedTrace(gateway);
  const { sandbox, ask } = gateway;
  const last = await ask(
    '{ usage { fx { background } macro { background } credits { background } } }',
  );
  replies.push(last);
  const background = last.data as { usage: Record<string, { background: number }> };
  const samples = await gateway.metrics();
  const spent = sandbox.spent();

  expect(sum(samples, 'marketgraph_operations_total')).toBe(replies.length);
  const units = perMeter((meter) => sum(samples, 'marketgraph_units_total', { meter }));
  expect(units).toEqual(spent);
  const reported = perMeter((meter) =>
    replies.reduce((all, one) => all + one.extensions.usage[meter].used, 0),
  );
  for (const meter of METERS)
    expect(reported[meter] + background.usage[meter]!.background).toBe(spent[meter]);
  expect(sum(samples, 'marketgraph_upstream_requests_total', { sent: 'true' })).toBe(
    sandbox.requests().length,
  );
  const retried = sandbox.requests().filter(({ status }) => status >= 500).length;
  expect(sum(samples, 'marketgraph_upstream_requests_total', { retry: 'true' })).toBeGreaterThan(0);
  expect(retried).toBeGreaterThan(2);
  const upstream = (what: 'cacheHits' | 'coalesced' | 'stale') =>
    replies
      .filter(({ extensions }) => !extensions.usage.estimate)
      .reduce((all, one) => all + one.extensions.usage.upstream[what], 0);
  const questions = (answer: string) => sum(samples, 'marketgraph_questions_total', { answer });
  expect([questions('hit'), questions('joined'), questions('stale')]).toEqual([
    upstream('cacheHits'),
    upstream('coalesced'),
    upstream('stale'),
  ]);
  expect(questions('hit')).toBeGreaterThan(3);
  expect(questions('joined')).toBeGreaterThan(0);
});

test('a dry run asks the cache, but counts as no question', async () => {
  const { ask, metrics } = await openAdmin();
  await ask(FX);
  await ask(FX, { 'x-usage-dry-run': '1' });
  const samples = await metrics();
  expect(sum(samples, 'marketgraph_operations_total', { cache: 'none' })).toBe(1);
  expect(sum(samples, 'marketgraph_questions_total')).toBe(0);
});

test('the state of the upstream, the store and open connections can be read, too', async () => {
  const { app, ask, post, metrics, sandbox } = await openAdmin({
    GROUP_B_REQUESTS_PER_SECOND: '7',
  });
  const events = await app.fetch(post({ query: LIVE }, { accept: 'text/event-stream' }));
  const reader = events.body!.getReader();
  await reader.read();
  await ask(CRYPTO);
  const gauge = async (name: string, labels: Record<string, string> = {}) =>
    sum(await metrics(), `marketgraph_${name}`, labels);
  await expect.poll(() => gauge('open_subscriptions')).toBe(1);
  expect(await gauge('open_event_streams')).toBe(1);
  expect(await gauge('open_websockets')).toBe(0);
  expect(await gauge('upstream_limit_requests_per_second')).toBe(7);
  expect(await gauge('upstream_breaker_open')).toBe(0);
  expect(await gauge('shared_store_up', { store: 'sqlite' })).toBe(1);
  expect(await gauge('shared_store_call_duration_seconds')).toBeGreaterThan(0);
  expect(await gauge('cache_entries')).toBeGreaterThan(0);
  const answeredAt = await gauge('upstream_answer_timestamp_seconds', { group: 'B' });
  expect(Math.abs(answeredAt - Date.now() / 1000)).toBeLessThan(60);
  await reader.cancel();
  await expect.poll(() => gauge('open_subscriptions')).toBe(0);

  sandbox.fault({ kind: 'status', status: 503 });
  for (let i = 0; i < 3; i += 1)
    await ask(`{ macroCatalog(filter: { search: "s${i}" }, first: 1) { nodes { code } } }`);
  expect(await gauge('upstream_breaker_open', { group: 'A' })).toBe(1);
  expect(await gauge('upstream_breaker_open', { group: 'B' })).toBe(0);
  sandbox.clearFaults();
  sandbox.fault({ kind: 'status', status: 401 });
  await ask('{ cryptoAsset(symbol: "OBSCURE2") { symbol } }');
  expect(await gauge('upstream_key_refused', { group: 'B' })).toBe(1);
});
