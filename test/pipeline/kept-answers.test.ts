import { expect, test } from 'vitest';
import { createStore } from '../../src/cache/store.ts';
import { requestKey } from '../../src/pipeline/request-key.ts';
import { createKeptAnswers, type KeptAnswers, wholeOf } from '../../src/pipeline/kept-answers.ts';

/** Which answers are worth keeping: one-off requests must not fill the cache. */

const MIB = 1024 * 1024;

function answer(size: number): Parameters<KeptAnswers['keep']>[1] {
  const head = Buffer.alloc(size);
  const mediaType = 'application/json';
  const none = { etag: undefined, name: undefined, served: [], isSameText: undefined };
  const warnings = new Set<never>();
  return { ...none, warnings, head, mediaType, freshUntil: 1, parts: new Set() };
}

test('the first 8 MiB are kept at once, later answers when they are requested again', () => {
  // The overhead of an answer counts, too.
  const text = MIB - 2000;
  const answers = createKeptAnswers(createStore(128 * MIB).namespace(), () => 0);
  for (let i = 0; i < 8; i += 1) expect(answers.wants(requestKey(`early ${i}`), text)).toBe(true);
  expect(answers.wants(requestKey('one more'), text)).toBe(false);
  for (let i = 0; i < 1000; i += 1) expect(answers.wants(requestKey(`late ${i}`), 1)).toBe(false);
  for (let i = 0; i < 1000; i += 1) expect(answers.wants(requestKey(`late ${i}`), 1)).toBe(true);
});

test('all answers together stay within the limit of the cache', () => {
  const store = createStore(MIB);
  const answers = createKeptAnswers(store.namespace(), () => 0);
  for (let i = 0; i < 100; i += 1) {
    answers.keep(requestKey(`${i}`), answer(MIB / 16));
    expect(store.size()).toBeLessThanOrEqual(MIB);
  }
  expect(answers.find(requestKey('99'), 0)).toBeDefined();
  expect(answers.find(requestKey('0'), 0)).toBeUndefined();
});

test('an answer and its tail are one piece from the second time on, and never contain an old account', () => {
  const answers = createKeptAnswers(createStore(MIB).namespace(), () => 0);
  const head = Buffer.from('{"data":"ağ"');
  const kept = answers.keep(requestKey('one'), { ...answer(0), head });
  const wholes = ['1', '1', '1', '2', '1', '1'].map((tail) => wholeOf(kept, tail)?.toString());
  const one = `${head.toString()}1`;
  expect(wholes).toEqual([undefined, one, one, undefined, undefined, one]);
  expect(kept.head.toString()).toBe(head.toString());
});

test('two requests with the same hash never get the answer to the other one', () => {
  const answers = createKeptAnswers(createStore(MIB).namespace(), () => 0);
  const [one, other] = [requestKey('plumless'), requestKey('buckeroo')];
  expect(one.hash).toBe(other.hash);
  answers.keep(one, answer(1));
  expect(answers.find(other, 0)).toBeUndefined();
  const kept = answers.keep(other, answer(1));
  expect(answers.find(other, 0)).toBe(kept);
  expect(answers.find(one, 0)).toBeUndefined();
});

test('an answer is not sent any more once data have begun to age faster: they may have expired', () => {
  let decreases = 0;
  const answers = createKeptAnswers(createStore(MIB).namespace(), () => decreases);
  const key = requestKey('one');
  const before = answers.keep(key, answer(1));
  expect(answers.find(key, 0)).toBe(before);
  decreases += 1;
  expect(answers.find(key, 0)).toBeUndefined();
  const after = answers.keep(key, answer(1));
  expect(answers.find(key, 0)).toBe(after);
});

test('a kept answer is found, however many other requests arrive', () => {
  const answers = createKeptAnswers(createStore(128 * MIB).namespace(), () => 0);
  const keys = Array.from({ length: 1000 }, (_, i) => requestKey(`kept ${i}`));
  for (const key of keys) if (answers.wants(key, 1)) answers.keep(key, answer(1));
  for (let i = 0; i < 200_000; i += 1) answers.wants(requestKey(`other ${i}`), 1);
  expect(keys.filter((key) => answers.find(key, 0))).toHaveLength(1000);
});
