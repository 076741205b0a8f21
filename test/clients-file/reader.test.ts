import { expect, test } from 'vitest';
import { readClients } from '../../src/clients/file.ts';
import { containsKey } from '../../src/clients/key-shape.ts';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hex, written } from './digests.ts';

const read = (content: unknown) => readClients(JSON.stringify(content));
const KEYS = [written(1)];

/** Returns the problems reported for a file's only client. */
const problemsWith = (fields: object) =>
  read({ clients: [{ name: 'app', keys: KEYS, ...fields }] }).problems;

test('all fields of a client are read', () => {
  const upper = written(0xabc).toUpperCase().replace('SHA', 'sha');
  const { clients, problems } = read({
    clients: [
      {
        name: 'mobile-app',
        keys: [upper, written(2)],
        persistedOnly: true,
        maxUnitsPerOperation: 0,
        budgets: [
          { meter: 'CREDITS', window: 'DAY', limit: 500 },
          { meter: 'CREDITS', window: 'MONTH', limit: 0 },
          { meter: 'FX', window: 'DAY', limit: 1 },
          { meter: 'MACRO', window: 'DAY', limit: 2 },
        ],
        operationsPerMinute: 1,
        origins: ['HTTPS://App.example:443/', 'capacitor://localhost', '*'],
        priority: 'HIGH',
      },
    ],
  });
  expect(problems).toEqual([]);
  expect(clients).toEqual([
    {
      name: 'mobile-app',
      keys: [hex(0xabc), hex(2)],
      persistedOnly: true,
      maxUnitsPerOperation: 0,
      budgets: [
        { meter: 'credits', window: 'DAY', limit: 500 },
        { meter: 'credits', window: 'MONTH', limit: 0 },
        { meter: 'fx', window: 'DAY', limit: 1 },
        { meter: 'macro', window: 'DAY', limit: 2 },
      ],
      operationsPerMinute: 1,
      origins: ['https://app.example', 'capacitor://localhost', '*'],
      priority: 'HIGH',
    },
  ]);
});

test('a name and a key suffice, and a file may have no clients', () => {
  expect(read({ clients: [{ name: 'a', keys: KEYS }] }).clients).toStrictEqual([
    {
      name: 'a',
      keys: [hex(1)],
      persistedOnly: false,
      maxUnitsPerOperation: undefined,
      budgets: [],
      operationsPerMinute: undefined,
      origins: undefined,
      priority: 'NORMAL',
    },
  ]);
  expect(read({ clients: [] })).toEqual({ clients: [], problems: [] });
});

test('a key in the wrong place is not repeated', () => {
  const key = newKey();
  const asName = read({ clients: [{ name: key, keys: KEYS }] });
  const inName = read({ clients: [{ name: `app-${key}`, keys: KEYS }] });
  const asField = read({ clients: [{ name: 'app', keys: KEYS, [key]: true }] });
  const asDigest = read({ clients: [{ name: 'app', keys: [key] }] });
  expect([asName, inName, asField, asDigest].map(({ problems }) => problems)).toEqual([
    ['clients[0]: name: must not contain a key'],
    ['clients[0]: name: must not contain a key'],
    ['clients[0] (app): [a key]: is not a known field'],
    ['clients[0] (app): keys[0]: must be the digest of a key, not the key itself'],
  ]);
});

const OBJECT = 'must be an object with a list "clients"';
const budget = { meter: 'FX', window: 'DAY', limit: 1 };

test.each([
  ['no JSON', '{', ['is not JSON']],
  ['nothing', '', ['is not JSON']],
  ['a list', '[]', [OBJECT]],
  ['null', 'null', [OBJECT]],
  ['no clients', '{}', ['clients: is missing']],
  ['clients by name', '{"clients":{}}', ['clients: must be a list of clients']],
  ['a further field', '{"clients":[],"client":1}', ['client: is not a known field']],
  ['a client that is none', '{"clients":[3]}', ['clients[0]: must be an object']],
])('a file with %s is refused', (_what, text, problems) => {
  expect(readClients(text)).toEqual({ clients: [], problems });
});

test.each([
  [{ keys: [] }, 'keys: must hold at least one digest'],
  [{ keys: undefined }, 'keys: is missing'],
  [{ keys: written(1) }, 'keys: must be a list of digests'],
  [{ keys: [hex(1)] }, 'keys[0]: must be sha256: and 64 hex digits'],
  [{ keys: [`${written(1)}0`] }, 'keys[0]: must be sha256: and 64 hex digits'],
  [{ keys: [`${written(1)}\n`] }, 'keys[0]: must be sha256: and 64 hex digits'],
  [{ keys: [1] }, 'keys[0]: must be a string'],
  [{ keys: [written(10), written(10).replace('a', 'A')] }, 'keys[1]: is listed twice'],
  [{ persistedOnly: 1 }, 'persistedOnly: must be true or false'],
  [{ maxUnitsPerOperation: -1 }, 'maxUnitsPerOperation: must be a whole number of 0 or more'],
  [{ maxUnitsPerOperation: null }, 'maxUnitsPerOperation: must be a whole number of 0 or more'],
  [{ operationsPerMinute: 0 }, 'operationsPerMinute: must be a whole number of 1 or more'],
  [{ operationsPerMinute: 1.5 }, 'operationsPerMinute: must be a whole number of 1 or more'],
  [{ budgets: [{ ...budget, meter: 'fx' }] }, 'budgets[0].meter: must be FX, MACRO or CREDITS'],
  [{ budgets: [{ ...budget, window: 'HOUR' }] }, 'budgets[0].window: must be DAY or MONTH'],
  [
    { budgets: [{ ...budget, limit: 1e20 }] },
    'budgets[0].limit: must be a whole number of 0 or more',
  ],
  [{ budgets: [{ ...budget, limit: undefined }] }, 'budgets[0].limit: is missing'],
  [{ budgets: [{ ...budget, per: 1 }] }, 'budgets[0].per: is not a known field'],
  [
    { budgets: [budget, { ...budget, limit: 2 }] },
    'budgets[1]: is a second budget of FX for a DAY',
  ],
  [{ budgets: budget }, 'budgets: must be a list of budgets'],
  [
    { origins: ['https://a.example/x'] },
    'origins[0]: must be an origin such as https://a.example, or *',
  ],
  [{ origins: ['*', ''] }, 'origins[1]: must be an origin such as https://a.example, or *'],
  [{ origins: '*' }, 'origins: must be a list of origins'],
  [{ priority: 'high' }, 'priority: must be HIGH, NORMAL or LOW'],
  [{ perssistedOnly: true }, 'perssistedOnly: is not a known field'],
  [{ 'two\nlines': true }, String.raw`["two\nlines"]: is not a known field`],
])('a client with %j is refused', (fields, problem) => {
  expect(problemsWith(fields)).toEqual([`clients[0] (app): ${problem}`]);
});

test('a built-in JavaScript property is not a known field', () => {
  const text = `{"clients":[{"name":"app","keys":["${written(1)}"],"__proto__":{}}]}`;
  expect(readClients(text).problems).toEqual(['clients[0] (app): __proto__: is not a known field']);
});

test.each(['', 'a b', 'ä', 'a\n', 'x'.repeat(65), 5])('%j is not a name', (name) => {
  expect(problemsWith({ name })).toEqual([expect.stringMatching(/^clients\[0\]: name: must be /)]);
});

test('a name has 1 to 64 characters', () => {
  for (const name of ['-', '__proto__', 'A.b_c-9', 'x'.repeat(64)])
    expect(problemsWith({ name })).toEqual([]);
});

test('all problems of all clients are reported at once', () => {
  const clients = [
    { name: 'a', keys: KEYS, priority: 1 },
    { name: 'b', keys: [], extra: 1 },
  ];
  expect(read({ clients }).problems).toEqual([
    'clients[0] (a): priority: must be HIGH, NORMAL or LOW',
    'clients[1] (b): keys: must hold at least one digest',
    'clients[1] (b): extra: is not a known field',
  ]);
});

test('no two clients share a name or a key', () => {
  const clients = [
    { name: 'a', keys: [written(1), written(2)] },
    { name: 'b', keys: [written(3), written(2)] },
    { name: 'a', keys: [written(4)] },
  ];
  expect(read({ clients })).toEqual({
    clients: [],
    problems: [
      'clients[1] (b): keys[1]: is also that of clients[0] (a)',
      'clients[2] (a): name: is also that of clients[0] (a)',
    ],
  });
});

test('a key that stands where its digest should is not repeated', () => {
  const key = newKey();
  const problems = problemsWith({ keys: [key] });
  expect(problems.join()).toContain('the digest of a key, not the key itself');
  expect(problems.join()).not.toContain(key.slice(3));
});

test('keys differ, look like keys, and have the SHA-256 that everybody computes', () => {
  const keys = Array.from({ length: 100 }, newKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^mg_[\w-]{43}$/);
  for (const text of keys.flatMap((key) => [key, `app-${key}`, `${key}\n`]))
    expect(containsKey(text)).toBe(true);
  for (const text of ['', 'mg_', keys[0]!.slice(0, -1)]) expect(containsKey(text)).toBe(false);
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
