import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, repliesIn } from './answers.ts';
import { broken, chunked, written } from './framing.ts';
import { check, openGateway, unitsOf } from './gateway.ts';
import { request } from './requests.ts';
import { openWire } from './wire.ts';

/** Mutated HTTP requests: every answer is well formed, and refused requests spend nothing. */

const COMPLETE_REQUESTS = 5500;
const MALFORMED_REQUESTS = 1500;
/** After how many requests the gateway's health is checked. */
const CHECK_EVERY = 250;

test(`${COMPLETE_REQUESTS} mutated requests are answered, and spend what they say`, async () => {
  const { port, spent, expectHealthy } = await openGateway();
  const wire = openWire(port);
  let sent = 0;
  const cases = fc.tuple(request, fc.option(fc.integer({ min: 1, max: 300 }), { freq: 5 }));
  await check(cases, COMPLETE_REQUESTS, async ([one, size]) => {
    const before = spent();
    const bytes = size === null ? written(one) : chunked(one, size);
    const answer = await wire.ask(bytes, one.method === 'HEAD');
    expect(spent() - before).toBe(unitsIn(answer));
    sent += 1;
    if (sent % CHECK_EVERY === 0) await expectHealthy();
  });
  wire.close();
  await expectHealthy();
});

/** Returns the cost that an answer states: in a header, if it has no body. */
function unitsIn(answer: Answer): number {
  const replies = repliesIn(answer);
  const refused = replies.filter(({ data }) => data === undefined);
  expect(unitsOf(refused), 'spent by what is refused').toBe(0);
  const statedUnits = answer.headers['x-usage-used']?.matchAll(/=(\d+)/g) ?? [];
  return unitsOf(replies) + [...statedUnits].reduce((sum, [, units]) => sum + Number(units), 0);
}

test(`${MALFORMED_REQUESTS} requests whose framing is broken are answered or cut off`, async () => {
  const { port, stderr, expectHealthy } = await openGateway();
  const wire = openWire(port);
  let sent = 0;
  await check(broken, MALFORMED_REQUESTS, async (bytes) => {
    for (const answer of await wire.sendAndHangUp(bytes)) repliesIn(answer);
    sent += 1;
    if (sent % CHECK_EVERY === 0) await expectHealthy();
  });
  await expectHealthy();
  expect(stderr()).toBe('');
});
