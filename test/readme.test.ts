import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';

/** The README's table of variables matches the configuration: the same names and the same defaults. */

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Also read, or set, by other programs, and therefore not documented here. */
const FOREIGN_VARIABLES = ['NODE_ENV', 'npm_lifecycle_script', 'npm_package_name'];

/** Their defaults depend on `SANDBOX`: the README states them in words, and config.test.ts tests them. */
const UPSTREAM = ['SANDBOX', 'GROUP_A_URL', 'GROUP_A_KEY', 'GROUP_B_URL', 'GROUP_B_KEY'];

interface Row {
  name: string;
  /** The default, as written in the table. */
  fallback: string;
}

/** Returns one row for each variable: a line of the table may name several, with their defaults in that order. */
function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, first = '', second = ''] = line.split('|').map((cell) => cell.trim());
    const names = [...first.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name);
    const fallbacks = names.length > 1 && second.includes(', ') ? second.split(', ') : [second];
    return names.map((name, i) => ({ name, fallback: fallbacks[i] ?? fallbacks.at(-1) ?? '' }));
  });
}

const rows = rowsOf(README);
const settings = rows.filter(({ name }) => !UPSTREAM.includes(name));
const byDefault = configFor({});

/** Returns the variables that are read: an empty environment records which names are looked up. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const get = (_target: object, name: string | symbol) => {
    names.add(String(name));
    return undefined;
  };
  readConfig(new Proxy<Record<string, string | undefined>>({}, { get }));
  return [...names].filter((name) => !FOREIGN_VARIABLES.includes(name));
}

/** For every variable, at least one of these is valid and not its default. */
const CANDIDATES = [
  'localhost',
  'free',
  '1',
  '2',
  '2048',
  'UTC',
  'debug',
  'some-text',
  'https://a.example',
  '10.0.0.1',
  'redis://a',
  'always_off',
  'true',
  'name=value',
  '0.5',
  '0',
];

/** The configuration, except for whether ADMIN_PORT is set at all, and for warnings about odd values. */
function configFor(env: Record<string, string>) {
  const {
    admin,
    tracing,
    isClientsFileBlank: _isClientsFileBlank,
    ...others
  } = readConfig({ SANDBOX: '1', ...env });
  const { isDefaultPort: _isDefaultPort, ...rest } = admin;
  const { warnings: _warnings, ...traced } = tracing;
  return { ...others, admin: rest, tracing: traced };
}

function configWith(name: string, value: string) {
  try {
    return configFor({ [name]: value });
  } catch {
    return undefined;
  }
}

/** The parts of the default configuration that another value of the variable changes. */
function defaultsChangedBy(name: string): unknown[] {
  const other = CANDIDATES.map((value) => configWith(name, value)).find(
    (config) => config && JSON.stringify(config) !== JSON.stringify(byDefault),
  );
  return other ? differences(byDefault, other) : [];
}

function differences(one: unknown, other: unknown): unknown[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (!isRecord(one) || !isRecord(other)) return [one];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(one[name], other[name]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe("the README's table of variables", () => {
  test('lists every variable that is read, once, and no other', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(variablesRead().toSorted());
  });

  test.each(settings)(
    '$name: $fallback applies if the variable is not set',
    ({ name, fallback }) => {
      const stated = fallback === 'none' ? '' : fallback;
      expect(configFor({ [name]: stated })).toEqual(byDefault);
      const changed = defaultsChangedBy(name);
      expect(changed).toHaveLength(1);
      expect(changed.every(isNothing)).toBe(fallback === 'none');
    },
  );
});

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
