import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClients } from '../../src/clients/file.ts';
import { written } from './digests.ts';

test('reading a clients file never throws, and returns either clients or problems', () => {
  const value = (field: string) =>
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('FX', 'DAY', 1, written(1), 'a', field),
    );
  const entry = (fields: readonly string[], more: Record<string, fc.Arbitrary<unknown>> = {}) =>
    fc.record(
      { ...Object.fromEntries(fields.map((field) => [field, value(field)])), ...more },
      { requiredKeys: [] },
    );
  const budgets = fc.array(entry(['meter', 'window', 'limit', 'x']), { maxLength: 3 });
  const fields = ['name', 'persistedOnly', 'maxUnitsPerOperation', 'priority', 'x'];
  const lists = { keys: fc.array(value('')), budgets, origins: fc.array(value('*')) };
  const clients = fc.array(fc.oneof(entry(fields, lists), value('')), { maxLength: 3 });
  fc.assert(
    fc.property(fc.oneof(entry(['x'], { clients }), fc.record({ clients })), (content) => {
      const { clients: valid, problems } = readClients(JSON.stringify(content));
      expect(problems.length === 0 || valid.length === 0).toBe(true);
      expect(problems.filter((problem) => /\n|undefined|Invalid|expected/.test(problem))).toEqual(
        [],
      );
    }),
  );
});
