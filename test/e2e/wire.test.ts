import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Bench, connect, open, timeoutFor } from '../harness.ts';
import { pairs } from '../upstream.ts';
import { CHANGES } from './change.ts';
import { openRecorder, type Seen } from './recorder.ts';

/** What goes over the wire to the upstream. */

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  // Stated twice, encoded once: by a proxy that added the header field although it was there.
  ['gzip, gzip', gzipSync],
])('answers encoded with %s, which was not asked for, are read', async (coding, encode) => {
  const { sandbox, another } = await open();
  const { env } = await openRecorder(sandbox, { coding, encode });
  const { url } = await another(env);
  const found = await connect(url).get('{ fxRates { totalCount } calendarEvents { totalCount } }');
  expect(found).toMatchObject({
    fxRates: { totalCount: pairs(sandbox).length },
    calendarEvents: { totalCount: expect.any(Number) },
  });
});

const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
const TURKISH_LETTERS = new TextDecoder('iso-8859-9').decode(bytes);
const inTurkish = (text: string) =>
  Uint8Array.from(text, (letter) => TURKISH_LETTERS.indexOf(letter));
const inUtf8 = (text: string) => Buffer.from(text);
const inUtf16 = (text: string) => Buffer.from(text, 'utf16le');

test.each([
  ['ISO-8859-9', 'as stated', inTurkish],
  ['iso-8859-1', 'in UTF-8', inUtf8],
  ['none-that-is-known', 'in UTF-8', inUtf8],
  ['utf-16', 'as stated', inUtf16],
  ['utf-16', 'in UTF-8', inUtf8],
])('answers that state charset %s are read if they are encoded %s', async (charset, _, encode) => {
  const { sandbox, get, another } = await open();
  const { env } = await openRecorder(sandbox, { encode, type: `text/json; charset="${charset}"` });
  const { url } = await another(env);
  const query = `{ legislationChanges(${CHANGES}) { nodes { title } } fxRates { nodes { pair } } }`;
  const answer = await get(query);
  expect(JSON.stringify(answer)).toMatch(/[ğşı]/);
  expect(await connect(url).get(query)).toEqual(answer);
});

test('answers that are not in the encoding that they state cannot be read, and are paid for once', async () => {
  const { sandbox, another } = await open();
  const encode = (text: string) => Buffer.from(text.slice(1));
  const { env, seen } = await openRecorder(sandbox, { coding: 'gzip', encode });
  const { url } = await another(env);
  const { errors } = await connect(url).ask('{ fxRates { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(seen).toHaveLength(1);
});

describe('every request', () => {
  async function record(query: string): Promise<Seen[]> {
    const { sandbox, another } = await open();
    const { seen, env } = await openRecorder(sandbox);
    const keys = { GROUP_A_KEY: 'key-of-a', GROUP_B_KEY: 'key-of-b' };
    const { url } = await another({ ...env, ...keys });
    await connect(url).get(query);
    return seen;
  }

  test('to Group A carries its key, and never that of Group B', async () => {
    const seen = await record('{ fxRates { totalCount } macroCatalog { totalCount } }');
    expect(seen).toHaveLength(2);
    for (const { method, headers } of seen) {
      expect(method).toBe('GET');
      expect(headers['x-api-key']).toBe('key-of-a');
      expect(JSON.stringify(headers)).not.toContain('key-of-b');
    }
  });

  test('to Group B carries its key after its scheme, and asks for JSON', async () => {
    const seen = await record('{ calendarEvents { totalCount } cryptoAssets { totalCount } }');
    expect(seen).toHaveLength(2);
    for (const { method, headers } of seen) {
      expect(method).toBe('GET');
      expect(headers).toMatchObject({
        authorization: 'apikey key-of-b',
        accept: 'application/json',
      });
      expect(JSON.stringify(headers)).not.toContain('key-of-a');
    }
  });

  test('for the health of Group A carries no key', async () => {
    const [health, ...more] = await record('{ health { ok } }');
    expect([health?.method, health?.path, more]).toEqual(['GET', '/health', []]);
    expect(health?.headers).not.toHaveProperty('x-api-key');
    expect(health?.headers).not.toHaveProperty('authorization');
  });
});

describe('a request that fails once', () => {
  test.each([
    ['a 500', { kind: 'status', status: 500 }],
    ['a reset connection', { kind: 'reset' }],
    ['no answer in time', { kind: 'hang' }],
  ] as const)('with %s is retried, unnoticed by clients', async (_what, fault) => {
    const { ask, sandbox } = await open({ env: timeoutFor(fault.kind) });
    sandbox.fault({ ...fault, group: 'A', times: 1 });
    sandbox.fault({ ...fault, group: 'B', times: 1 });
    const { data, errors, extensions } = await ask(
      '{ fxRate(pair: "USDTRY") { pair } cryptoAsset(symbol: "BTC") { symbol } }',
    );
    const expected = { fxRate: { pair: 'USDTRY' }, cryptoAsset: { symbol: 'BTC' } };
    expect([data, errors]).toEqual([expected, []]);
    expect(extensions.usage.upstream).toMatchObject({ requests: 4, failed: 2 });
    expect(sandbox.spent()).toEqual({ fx: 1, macro: 0, credits: 1 });
  });
});

describe('what is requested from the upstream', () => {
  const last = ({ sandbox }: Bench) => sandbox.requests().at(-1)?.path ?? '';
  const span = (bench: Bench) => {
    const query = new URLSearchParams(last(bench).split('?')[1]);
    return [query.get('start') ?? '', query.get('end') ?? ''] as const;
  };

  test.each([
    ['2026-11-20T23:59:59+03:00', '2026-11-20', '2026-11-27'],
    ['2026-11-21T00:00:00+03:00', '2026-11-21', '2026-11-28'],
    ['2026-12-31T22:30:00Z', '2027-01-01', '2027-01-08'],
  ])('at %s today is %s in the upstream’s zone', async (time, today, inAWeek) => {
    const bench = await open();
    bench.clock.set(time);
    const { a, b } = await bench.get<Record<string, { totalCount: number }>>(`{
      a: calendarEvents { totalCount }
      b: calendarEvents(filter: { start: "${today}", end: "${inAWeek}" }) { totalCount } }`);
    expect(a).toEqual(b);
    const { rate } = await bench.get<{ rate: { history: { start: string; end: string } } }>(
      '{ rate: fxRate(pair: "USDTRY") { history { start end } } }',
    );
    expect(rate.history.end).toBe(today);
    const weekBefore = Date.parse(today) - 7 * 86_400_000;
    expect(Date.parse(rate.history.start)).toBe(weekBefore);
  });

  test('in another zone, today is another day', async () => {
    const bench = await open({ env: { UPSTREAM_TIMEZONE: 'America/New_York' } });
    bench.clock.set('2026-11-21T02:00:00Z');
    const { rate } = await bench.get<{ rate: { history: object } }>(
      '{ rate: fxRate(pair: "USDTRY") { history { start end } } }',
    );
    expect(rate.history).toEqual({ start: '2026-11-13', end: '2026-11-20' });
  });

  test.each([
    ['fxRate(pair: "USDTRY") { history { start end } }', '2026-11-13'],
    ['macroSeries(code: "TP.DK.USD.A") { observations { start end } }', '2026-10-21'],
    ['calendarEvents { totalCount }', '2026-11-20'],
  ])('covers the default range of %s', async (field, start) => {
    const bench = await open();
    await bench.get(`{ ${field} }`);
    const [from, to] = span(bench);
    expect(from <= start && to >= '2026-11-20').toBe(true);
  });

  test('names the interval and the exchange of crypto prices in the upstream’s words', async () => {
    const bench = await open();
    await bench.get(
      '{ cryptoAssets(convert: EUR, filter: { interval: FOUR_HOURS, exchange: "btcturk" }) { convert } }',
    );
    const query = Object.fromEntries(new URLSearchParams(last(bench).split('?')[1]));
    expect(query).toEqual({ convert: 'EUR', exchange: 'btcturk', interval: '4h', limit: '500' });
  });

  test('leaves filtering by institution and search words to the upstream', async () => {
    const bench = await open();
    await bench.get(`{ legislationChanges(filter: {
      start: "2026-10-01", end: "2026-11-20", institution: "tcmb", search: "faiz\u200d oranı" }) { totalCount } }`);
    const query = Object.fromEntries(new URLSearchParams(last(bench).split('?')[1]));
    expect(query).toMatchObject({ institution: 'tcmb', q: 'faiz\u200D oranı' });
    expect(query).not.toHaveProperty('type');
    expect(query).not.toHaveProperty('topic');
  });
});
