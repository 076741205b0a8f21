import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addClient,
  addKey,
  clientOf,
  contentOf,
  EditError,
  NO_CLIENTS,
  keepNewestKey,
  removeClient,
  removedKeys,
  textOf,
} from '../../src/clients/edit.ts';
import { type ClientsContent, problemsOf, readClients } from '../../src/clients/file.ts';
import { hex, written } from './digests.ts';

const name = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__');
const count = fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)).map(String);
const valid = fc.record(
  {
    'persisted-only': fc.boolean(),
    'max-units-per-operation': count,
    budget: fc
      .tuple(fc.constantFrom('fx', 'MACRO', 'Credits'), fc.constantFrom('day', 'MONTH'), count)
      .map((parts) => [parts.join(':')]),
    // As many digits as a header field may have.
    'operations-per-minute': count.filter((text) => text !== '0' && text.length <= 15),
    origin: fc.array(
      fc.oneof(
        fc.webUrl({ validSchemes: ['http', 'https'] }).map((url) => new URL(url).origin),
        fc.constant('*'),
      ),
    ),
    priority: fc.constantFrom('high', 'NORMAL', 'Low'),
  },
  { requiredKeys: [] },
);
/** Arbitrary text, as people may type it. */
const typed = fc.record(
  {
    'max-units-per-operation': fc.oneof(fc.string(), fc.constantFrom('1e3', '9'.repeat(30))),
    budget: fc.array(fc.string(), { maxLength: 2 }),
    'operations-per-minute': fc.constantFrom('0', '-1', 'x', '1000000000000000'),
    origin: fc.array(fc.webUrl()),
    priority: fc.string(),
  },
  { requiredKeys: [] },
);
const mostlyValid = fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: typed });
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), name, limits: mostlyValid }),
  fc.record({ do: fc.constantFrom('rotate' as const, 'finish' as const, 'remove' as const), name }),
);

type Step = ReturnType<typeof step.generate>['value'];

function apply(content: ClientsContent, one: Step, n: number): ClientsContent {
  if (one.do === 'add') return addClient(content, clientOf(one.name, hex(n), one.limits));
  if (one.do === 'rotate') return addKey(content, one.name, hex(n));
  return one.do === 'finish' ? keepNewestKey(content, one.name) : removeClient(content, one.name);
}

/** Applies the step to a simple model of each client's keys; false if the step must be refused. */
function expected(keys: Map<string, string[]>, one: Step, n: number): boolean {
  const own = keys.get(one.name);
  if (one.do === 'add') {
    if (own || problemsOf(clientOf(one.name, hex(n), one.limits)).length > 0) return false;
    keys.set(one.name, [hex(n)]);
    return true;
  }
  if (!own) return false;
  if (one.do === 'rotate') keys.set(one.name, [...own.slice(-1), hex(n)]);
  if (one.do === 'finish') keys.set(one.name, own.slice(-1));
  if (one.do === 'remove') keys.delete(one.name);
  return true;
}

/** Returns the text after the step; undefined if it was refused. */
function edited(text: string, one: Step, n: number): string | undefined {
  try {
    return textOf(apply(contentOf(text), one, n));
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}

test('the result of any edits can be read, and contains what was intended', () => {
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let text = textOf(NO_CLIENTS);
      const keys = new Map<string, string[]>();
      for (const [n, one] of steps.entries()) {
        const isMade = expected(keys, one, n);
        counts[`${isMade}`] += 1;
        const next = edited(text, one, n);
        expect(next !== undefined).toBe(isMade);
        text = next ?? text;
        const { clients, problems } = readClients(text);
        expect(problems).toEqual([]);
        expect(clients.map((client) => [client.name, client.keys])).toEqual([...keys]);
      }
    }),
  );
  expect(Math.min(counts.true, counts.false)).toBeGreaterThan(20);
});

test('whatever is accepted as a limit is written so that it reads back the same', () => {
  fc.assert(
    fc.property(valid, (limits) => {
      expect(problemsOf(clientOf('app', hex(1), limits))).toEqual([]);
      const { clients } = readClients(
        textOf(addClient(NO_CLIENTS, clientOf('app', hex(1), limits))),
      );
      const [client] = clients;
      const budgets = client?.budgets.map((one) => `${one.meter}:${one.window}:${one.limit}`);
      expect(budgets).toEqual(
        (limits.budget ?? []).map((text) => text.replace(/^\w+/, lower).replace(/:\w+:/, upper)),
      );
      expect(client?.maxUnitsPerOperation?.toString()).toBe(limits['max-units-per-operation']);
      expect(client?.operationsPerMinute?.toString()).toBe(limits['operations-per-minute']);
      expect(client?.origins).toEqual(limits.origin);
      expect(client?.priority).toBe(limits.priority?.toUpperCase() ?? 'NORMAL');
    }),
  );
});

const lower = (text: string) => text.toLowerCase();
const upper = (text: string) => text.toUpperCase();

test('options become the limits of a client', () => {
  const client = clientOf('app', hex(1), {
    'persisted-only': true,
    'max-units-per-operation': '0',
    budget: ['credits:day:500', 'FX:MONTH:0'],
    'operations-per-minute': '600',
    origin: ['https://app.example'],
    priority: 'low',
  });
  expect(readClients(textOf(addClient(NO_CLIENTS, client))).clients).toEqual([
    {
      name: 'app',
      keys: [hex(1)],
      persistedOnly: true,
      maxUnitsPerOperation: 0,
      budgets: [
        { meter: 'credits', window: 'DAY', limit: 500 },
        { meter: 'fx', window: 'MONTH', limit: 0 },
      ],
      operationsPerMinute: 600,
      origins: ['https://app.example'],
      priority: 'LOW',
    },
  ]);
});

test.each([
  '',
  'CREDITS',
  'CREDITS:DAY',
  'CREDITS:DAY:',
  'CREDITS:DAY:5:6',
  'CREDITS:DAY:-5',
  ':DAY:5',
])('%j is not a budget', (budget) => {
  expect(problemsOf(clientOf('app', hex(1), { budget: [budget] }))).not.toEqual([]);
});

test('an edit leaves the other clients as they were written', () => {
  const other = { name: 'hand-made', keys: [written(1), written(2), written(3)], origins: ['*'] };
  const content = { clients: [other, { name: 'app', keys: [written(4)] }] };
  const rotated = addKey(content, 'app', hex(5));
  expect(rotated.clients[0]).toEqual(other);
  expect(rotated.clients[1]?.keys).toEqual([written(4), written(5)]);
  expect(content.clients[1]?.keys).toEqual([written(4)]);
  expect(addKey(content, 'hand-made', hex(6)).clients[0]?.keys).toEqual([written(3), written(6)]);
});

test('removed keys are named by the start of their digests, however these are written', () => {
  const keys = [written(1).toUpperCase(), written(2)];
  const before = { clients: [{ name: 'app', keys }] };
  const start = hex(1).toUpperCase().slice(0, 8);
  expect(removedKeys(before, keepNewestKey(before, 'app'), 'app')).toEqual([start]);
});

test('a broken file is not edited, and nothing broken is written', () => {
  const text = '{"clients":[{"name":"a","keys":[],"x":1}]}';
  expect(() => contentOf(text)).toThrow(
    'clients[0] (a): keys: must hold at least one digest (and 1 more)',
  );
  expect(() => textOf({ clients: [{ name: 'a', keys: [] }] })).toThrow(EditError);
});
