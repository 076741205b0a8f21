import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** The boundaries between modules (architecture.md, "Modules"): which may import from which. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_LINES = 200;

/** In the order of the page's table: each module imports only from itself and those above it. */
const MODULES = modulesOf(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'));

/** Names of files and folders in the first column of the table. */
function modulesOf(page: string): string[] {
  const [, table = ''] = page.split('## Modules');
  const columns = table.split('\n## ')[0]!.matchAll(/^\| (`[^|]+)\|/gm);
  const names = [...columns].flatMap(([, column = '']) => column.match(/[\w-]+(?=\.ts|\/)/g) ?? []);
  return [...new Set(names)];
}

interface Source {
  /** Path from the project's root, with slashes. */
  path: string;
  text: string;
  /** Paths of the project's own files that it imports, types included. */
  imports: string[];
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .filter(({ parentPath }) => !parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const named = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  const imports = [...named].map(([, target = '']) => join(dirname(path), target));
  return { path, text, imports: imports.map((target) => target.replaceAll(sep, '/')) };
}

const SOURCES = filesBelow('src').map(read);
const isSandbox = ({ path }: Source) => path.startsWith('src/sandbox/');
const isStyle = (path: string) => path.endsWith('.css') && existsSync(join(ROOT, path));
const isGenerated = (path: string) => path.includes('/generated/');
/** Standalone programs beside the modules, which may import the sandbox and read the environment. */
const isTool = ({ path }: Source) => /^src\/(commands|demo)\//.test(path);
/** Ready-made operations are GraphQL files; the code generated from them belongs to no module. */
const isOperation = ({ path }: Source) => path.startsWith('src/operations/');
const OWN_SOURCES = SOURCES.filter(
  (source) => ![isSandbox, isTool, isOperation].some((is) => is(source)),
);

/** `src/cache/plan.ts` is in the module cache, `src/time.ts` in the module time. */
const moduleOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';

/** Returns `source -> target` for every import that is not allowed. */
function wrong(
  sources: Source[],
  isAllowed: (source: Source, target: string) => boolean,
): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((target) => !isAllowed(source, target))
      .map((target) => `${source.path} -> ${target}`),
  );
}

describe('the modules', () => {
  test('are all known, and every import leads to a file', () => {
    const known = new Set(SOURCES.map(({ path }) => path));
    expect([...new Set(OWN_SOURCES.map(({ path }) => moduleOf(path)))].filter(isUnknown)).toEqual(
      [],
    );
    expect(
      wrong(
        OWN_SOURCES,
        (_source, target) => known.has(target) || isGenerated(target) || isStyle(target),
      ),
    ).toEqual([]);
    expect(OWN_SOURCES.flatMap(({ imports }) => imports).length).toBeGreaterThan(100);
  });

  test('import only from those above them', () => {
    const isAbove = ({ path }: Source, target: string) =>
      MODULES.indexOf(moduleOf(target)) <= MODULES.indexOf(moduleOf(path));
    // Only the module that starts the sandbox may import it.
    const isEntrance = ({ path }: Source, target: string) =>
      path === 'src/gateway.ts' && target === 'src/sandbox/sandbox.ts';
    expect(
      wrong(OWN_SOURCES, (source, target) => isEntrance(source, target) || isAbove(source, target)),
    ).toEqual([]);
  });

  test('cache, upstream and usage do not depend on schema libraries', () => {
    const innerFiles = OWN_SOURCES.filter(({ path }) =>
      /^src\/(time|config|usage|upstream|cache)/.test(path),
    );
    const names = innerFiles.filter(({ text }) => /@pothos|graphql-yoga/.test(text));
    expect(names.map(({ path }) => path)).toEqual([]);
  });

  test('the sandbox imports nothing outside of it, and only gateway.ts imports it', () => {
    // Its command line ends as the other programs do, which has nothing to do with the upstream.
    const isEnd = ({ path }: Source, target: string) =>
      path === 'src/sandbox/main.ts' && target === 'src/end-signals.ts';
    const inside = (source: Source, target: string) =>
      target.startsWith('src/sandbox/') || isEnd(source, target);
    expect(wrong(SOURCES.filter(isSandbox), inside)).toEqual([]);
    const outside = SOURCES.filter((source) => !isSandbox(source) && !isTool(source));
    const users = outside.filter(({ imports }) => imports.some((to) => to.includes('/sandbox/')));
    expect(users.map(({ path }) => path)).toEqual(['src/gateway.ts']);
  });

  test('only config.ts reads the environment, which main.ts passes to it', () => {
    const readers = OWN_SOURCES.filter(({ text }) =>
      /process\s*(\.env|\[['"]env)|import\.meta\.env/.test(text),
    );
    expect(readers.map(({ path }) => path)).toEqual(['src/main.ts']);
    const main = readers[0]?.text ?? '';
    expect(main.match(/process\.env/g)).toHaveLength(1);
    expect(main).toContain('readConfig(process.env)');
  });
});

function isUnknown(module: string): boolean {
  return !MODULES.includes(module);
}

const DOMAINS = readdirSync(join(ROOT, 'src/domains'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const domainOf = (path: string) => /^src\/domains\/([\w-]+)\//.exec(path)?.[1];

describe('a domain', () => {
  test('never imports another domain: only links.ts may', () => {
    const inDomains = OWN_SOURCES.filter(({ path }) => domainOf(path) !== undefined);
    const isOwn = ({ path }: Source, target: string) =>
      domainOf(target) === undefined
        ? target !== 'src/domains/links.ts'
        : domainOf(target) === domainOf(path);
    expect(wrong(inDomains, isOwn)).toEqual([]);
  });

  test.each(DOMAINS)('%s is one folder and one line of schema.ts', (domain) => {
    const index = `src/domains/${domain}/index.ts`;
    expect(SOURCES.map(({ path }) => path)).toContain(index);
    const users = OWN_SOURCES.filter(
      ({ path, imports }) =>
        domainOf(path) !== domain && imports.some((target) => domainOf(target) === domain),
    );
    const others = users.filter(({ path }) => path !== 'src/domains/links.ts');
    expect(others.map(({ path }) => path)).toEqual(['src/schema.ts']);
    const lines = others[0]?.text.split('\n').filter((line) => line.includes(`domains/${domain}/`));
    expect(lines).toEqual([`import './domains/${domain}/index.ts';`]);
  });

  test('is always a folder: the only file beside them is links.ts', () => {
    const looseFiles = OWN_SOURCES.filter(({ path }) => /^src\/domains\/[^/]+\.ts$/.test(path));
    expect(looseFiles.map(({ path }) => path)).toEqual(['src/domains/links.ts']);
    expect(DOMAINS.length).toBeGreaterThanOrEqual(6);
  });
});

test('SQLite statements have no numbered parameters: Node 22.19 to 24.4 cannot bind them by position', () => {
  const statements = OWN_SOURCES.filter(({ path }) => path.startsWith('src/shared/sqlite/'));
  expect(statements.length).toBeGreaterThan(5);
  expect(statements.filter(({ text }) => /\?\d/.test(text)).map(({ path }) => path)).toEqual([]);
});

test('no file is longer than 200 lines', () => {
  const files = [...filesBelow('src'), ...filesBelow('test')].filter((path) => !isGenerated(path));
  const long = files.filter((path) => read(path).text.trimEnd().split('\n').length > MAX_LINES);
  expect(files.length).toBeGreaterThan(100);
  expect(long).toEqual([]);
});
