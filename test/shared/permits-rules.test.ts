import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openServer, script } from '../../src/shared/valkey/server.ts';
import { LEARNED_LIMIT, NOTHING_LEARNED } from '../../src/shared/valkey/permits-script.ts';
import { createLearnedLimit } from '../../src/upstream/learned-limit.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** The server learns an upstream's limit from refusals by the same rules as one process does. */

/** ARGV: the configured limit or 0, steps. Returns the limit after each step, and whether it was raised. */
const LEARN = script(`
local perSecond, now = tonumber(ARGV[1]) > 0 and tonumber(ARGV[1]) or math.huge, 0
local s = ${NOTHING_LEARNED}
${LEARNED_LIMIT}
local shown = {}
for i, step in ipairs(cjson.decode(ARGV[2])) do
  now = step.now
  local raised = false
  if step.earlier then noteRefused(step.at, step.earlier) else raised = raise() end
  shown[i] = tostring(limit()) .. (raised and ' raised' or '')
end
return shown`);

const step = fc.record(
  {
    passed: fc.constantFrom(0, 10, 500, 1999, 2000, 4000, 8000, 60_000),
    earlier: fc.nat(12),
    ago: fc.constantFrom(0, 5, 600, 3000),
  },
  { requiredKeys: ['passed', 'ago'] },
);
const steps = fc.array(step, { maxLength: 30 }).map((list) => {
  // A server's clock never goes back.
  let now = 10_000;
  return list.map(({ passed, ago, earlier }) => {
    now += passed;
    return { now, at: now - ago, ...(earlier !== undefined && { earlier }) };
  });
});

test.skipIf(NO_SERVER)('whatever is refused, the server and a process learn the same', async () => {
  const { url } = await startValkey();
  const server = openServer({
    url,
    onTrouble: { begins: () => undefined, ends: () => undefined },
  });
  await server.ready(1000);
  const perSecond = fc.constantFrom(0, 1, 5, 10);
  await fc.assert(
    fc.asyncProperty(perSecond, steps, async (most, list) => {
      let now = 0;
      const learned = createLearnedLimit(most || Infinity, () => now);
      const expected = list.map((one) => {
        now = one.now;
        if ('earlier' in one) learned.noteRefused({ at: one.at, earlier: Number(one.earlier) });
        const raised = !('earlier' in one) && learned.raise();
        return `${learned.limit()}${raised ? ' raised' : ''}`.replace('Infinity', 'inf');
      });
      const shown = await server.run(LEARN, ['{test}'], [most, JSON.stringify(list)]);
      expect((shown as Buffer[]).map(String)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  server.close();
});
