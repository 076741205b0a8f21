import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { flat, numberOrNull, parseJson } from '../src/json.ts';
import { countOrNull } from '../src/upstream/outcome.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const PIECES = 100_000;
const PIECE = 'a piece of text';

function concatenated(): string {
  let text = '';
  for (let i = 0; i < PIECES; i += 1) text += PIECE;
  return text;
}

test('a flat text takes no more memory than its characters', () => {
  const before = heapUsed();
  const kept = [flat(concatenated())];
  expect(heapUsed() - before).toBeLessThan(1.2 * PIECES * PIECE.length);
  expect(kept[0]).toBe(PIECE.repeat(PIECES));
});

test('a number that is too large for JavaScript is treated as missing', () => {
  expect(['1e308', '1e999', '-1e999', '"1"'].map((text) => numberOrNull(parseJson(text)))).toEqual([
    1e308,
    null,
    null,
    null,
  ]);
  expect(['7', '1e300', '1e999', '-1'].map((text) => countOrNull(parseJson(text)))).toEqual([
    7,
    null,
    null,
    null,
  ]);
});
