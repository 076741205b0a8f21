import { expect, test } from 'vitest';
import { z } from 'zod';
import { listOf } from '../../src/graph/arguments.ts';

test('the items of a list that many fields share are checked once', () => {
  let checks = 0;
  const item = z.string().refine(() => (checks += 1) > 0);
  const schema = z.object({ filter: z.object({ codes: listOf(item) }) });
  const codes = ['TP.DK.USD.A', 'TP.DK.EUR.A'];
  const [first, second] = [codes, codes].map((one) => schema.parse({ filter: { codes: one } }));
  expect(first?.filter.codes).toEqual(codes);
  expect(second?.filter.codes).toBe(first?.filter.codes);
  expect(checks).toBe(2);
});
