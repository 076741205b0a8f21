import { expect, test } from 'vitest';
import { createRegistrations } from '../../src/documents/registrations.ts';

/** wire-formats.md section 3, "Store: bounded, TTL, per-client cap". */

const KIB = 1024;
const text = (length: number) => '#'.repeat(length);

function createStore() {
  let at = 1_000_000;
  const options = { maxBytes: 100 * KIB, maxBytesPerClient: 40 * KIB, ttlMs: 1000 };
  const store = createRegistrations({ ...options, monotonic: () => at });
  return { ...store, advance: (ms: number) => void (at += ms) };
}

test('it is limited in bytes: the least recently used text is evicted first', () => {
  const { get, add } = createStore();
  for (let n = 0; n < 12; n += 1) {
    add(`h${n}`, text(9 * KIB), `client ${n}`);
    get('h0');
  }
  expect(get('h0')).toBeDefined();
  expect(get('h1')).toBeUndefined();
  expect(get('h11')).toBeDefined();
});

test('a text is forgotten when its time to live has passed since its last use', () => {
  const { get, add, advance } = createStore();
  add('a', 'A', '');
  advance(900);
  expect(get('a')).toBe('A');
  advance(900);
  expect(get('a')).toBe('A');
  advance(1001);
  expect(get('a')).toBeUndefined();
  add('a', 'A', '');
  expect(get('a')).toBe('A');
});

test('a client that fills its share evicts only its own oldest texts', () => {
  const { get, add } = createStore();
  add('other', text(9 * KIB), 'other');
  for (let n = 0; n < 50; n += 1) add(`h${n}`, text(9 * KIB), 'greedy');
  expect(get('other')).toBeDefined();
  const kept = Array.from({ length: 50 }, (_, n) => `h${n}`).filter((hash) => get(hash));
  expect(kept).toEqual(['h46', 'h47', 'h48', 'h49']);
});

test('a text above the share of a client is not stored', () => {
  const { get, add } = createStore();
  add('big', text(41 * KIB), '');
  expect(get('big')).toBeUndefined();
});

test('expired or evicted texts no longer count', () => {
  const { get, add, advance } = createStore();
  for (let n = 0; n < 4; n += 1) add(`old${n}`, text(9 * KIB), 'a');
  advance(2000);
  for (let n = 0; n < 4; n += 1) expect(get(`old${n}`)).toBeUndefined();
  for (let n = 0; n < 4; n += 1) add(`new${n}`, text(9 * KIB), 'a');
  for (let n = 0; n < 4; n += 1) expect(get(`new${n}`)).toBeDefined();
});
