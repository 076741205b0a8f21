import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

/** docs/architecture.md lists exactly the files that an operation passes through. */

const ROOT = join(import.meta.dirname, '../..');
const MAX_STOPS = 28;

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** Returns the files in backticks at the beginning of list items, under a heading of any level. */
function listed(heading: string): string[] {
  const [, after = ''] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [section = ''] = after.split(/^#+ /m);
  return [...section.matchAll(/^(?:\d+\.|-) `src\/([^`]+)`/gm)].map(([, file = '']) => file);
}

const measure = () =>
  z.record(z.string(), z.array(z.string())).parse(
    JSON.parse(
      execFileSync(process.execPath, [join(import.meta.dirname, 'measure.ts')], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ),
  );

let measured = measure();

const vocabulary = listed('Vocabulary');
const observers = listed('Observers');
/** A domain's records and types are its vocabulary. */
const isVocabulary = (file: string) =>
  vocabulary.includes(file) || /^domains\/\w+\/(records|types)\.ts$/.test(file);

/** Retried since on a busy machine operations may take so long that they wait for each other's turns. */
test.each(Object.keys(measured))(
  'the way of %s is as documented, and short',
  { retry: 3 },
  (way) => {
    const found = measured[way]!;
    const stops = found.filter((file) => !isVocabulary(file) && !observers.includes(file));
    const written = listed(way);
    if (String(stops) !== String(written.toSorted())) measured = measure();
    expect(stops).toEqual(written.toSorted());
    expect(written.length).toBeLessThanOrEqual(MAX_STOPS);
  },
);

const OUTSIDE =
  /\bset(Timeout|Interval|Immediate)\b|^import \{[^}]*\} from '(node:(fs|http|net|sqlite)|undici)/m;

test('vocabulary depends on nothing but vocabulary, and reaches nothing outside of the process', () => {
  const wrong = vocabulary.flatMap((file) => {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8');
    const imports = [...text.matchAll(/^import (?!type )[^;]*? from '(\.[^']+)';/gms)]
      .filter(([statement]) => !/^import \{(\s*type \w+,?)+\s*\}/.test(statement))
      .map(([, target = '']) => join(file, '..', target))
      .filter((target) => !isVocabulary(target) && target !== 'graph/builder.ts');
    return [...imports, ...(OUTSIDE.test(text) ? ['outside'] : [])].map(
      (what) => `${file}: ${what}`,
    );
  });
  expect(vocabulary.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});
