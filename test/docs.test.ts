import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The documentation is consistent: links lead somewhere, and citations in the code are correct. */

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

function filesOf(folder: string, ending: RegExp): string[] {
  return readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`);
}

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesOf('docs', /\.md$/),
] as const;
const CODE = [...filesOf('src', /\.ts$/), ...filesOf('test', /\.ts$/)];

const headings = (page: string) => [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);

/** Returns the anchor that GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const url = path ? new URL(path, new URL(page, ROOT)) : new URL(page, ROOT);
  if (!existsSync(fileURLToPath(url))) return true;
  return (
    anchor !== undefined && !headings(readFileSync(url, 'utf8')).map(anchorOf).includes(anchor)
  );
}

test.each(PAGES)('every link of %s leads to a file of the repository', (page) => {
  const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => isBroken(page, target))).toEqual([]);
});

/** `spec section 2.7`, `spec sections 2.2 and 4.1`, `spec 4.1`: all of docs/upstream.md. */
const SPEC_CITATION = /\bspec,?(?: sections?)? (\d[\d.]*(?:(?:, | and )\d[\d.]*)*)/g;
const WIRE_FORMATS_CITATION = /wire-formats\.md sections? (\d[\d.]*)/g;

function numbersCited(pattern: RegExp): Map<string, string> {
  const cited = new Map<string, string>();
  for (const file of CODE)
    for (const [, list = ''] of read(file).matchAll(pattern))
      for (const number of list.split(/, | and /)) cited.set(number.replace(/\.$/, ''), file);
  return cited;
}

test.each([
  ['docs/upstream.md', SPEC_CITATION, 10],
  ['docs/wire-formats.md', WIRE_FORMATS_CITATION, 4],
] as const)('%s has every section that the code cites', (page, pattern, atLeast) => {
  const cited = numbersCited(pattern);
  const numbers = new Set(headings(read(page)).map((text) => /^(\d[\d.]*?)\.? /.exec(text)?.[1]));
  expect(cited.size).toBeGreaterThanOrEqual(atLeast);
  expect([...cited].filter(([number]) => !numbers.has(number))).toEqual([]);
});

test('pages that the code names by file and heading have that heading', () => {
  const wrong = CODE.flatMap((file) =>
    [...read(file).matchAll(/([\w-]+\.md), "([^"]+)"/g)].flatMap(
      ([cited, page = '', heading = '']) => {
        const path = new URL(`docs/${page}`, ROOT);
        const isThere = existsSync(path) && headings(readFileSync(path, 'utf8')).includes(heading);
        return isThere ? [] : [`${file}: ${cited}`];
      },
    ),
  );
  expect(wrong).toEqual([]);
});
