import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** What clients are told if a request is not sent, or not sent again, since its turn does not come in time. */

const CHANGES = (text: string) =>
  `legislationChanges(filter: { search: "${text}" }) { totalCount }`;
const PATH = '/legislation';
const NOT_IN_TIME = 'No request could be sent in time: the upstream limits how many it accepts';

const refusal = (seconds: number) => ({
  kind: 'status' as const,
  status: 429,
  path: PATH,
  headers: { 'retry-after': String(seconds) },
  times: 1,
});

test('a request that the upstream has refused for a while was sent, and later ones were not', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault(refusal(60));
  const refused = await ask(`{ ${CHANGES('vergi')} }`);
  expect(refused.errors).toMatchObject([
    {
      message: 'The upstream accepts no more requests right now',
      extensions: { code: 'RATE_LIMITED', group: 'B', retryable: true },
    },
  ]);
  expect(refused.extensions.usage.upstream.requests).toBe(1);
  const later = await ask(`{ ${CHANGES('vergi')} calendarEvents { totalCount } }`);
  expect(later.errors.map(({ message }) => message)).toEqual([NOT_IN_TIME, NOT_IN_TIME]);
  expect(later.extensions.usage.upstream.requests).toBe(0);
});

test('a request that failed, and whose turn to be sent again does not come in time, fails as it had', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1', OPERATION_TIMEOUT_MS: '1000' };
  const { ask, sandbox } = await open({ env });
  sandbox.fault({ kind: 'status', status: 503, path: PATH, times: 1 });
  const { errors, extensions } = await ask(`{ ${CHANGES('vergi')} }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(extensions.usage.upstream.requests).toBe(1);
});

test('an operation that joined a refused request may wait for its turn longer than the first one', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1', OPERATION_TIMEOUT_MS: '1500' };
  const { ask, sandbox, clock } = await open({ env });
  // The rate's history is a request to the other group: it shows that the operation has begun to wait.
  const query = (text: string, pair: string) =>
    `{ ${CHANGES(text)} fxRate(pair: "${pair}") { history { change } } }`;
  const histories = () => sandbox.requests().filter(({ path }) => path.includes('/history'));
  const before = ask(query('before', 'USDTRY'));
  await expect.poll(histories).toHaveLength(1);
  const first = ask(query('vergi', 'EURTRY'));
  await expect.poll(histories).toHaveLength(2);
  clock.advance(700);
  const joined = ask(query('vergi', 'CHFTRY'));
  await expect.poll(histories).toHaveLength(3);
  expect((await before).errors).toEqual([]);
  sandbox.fault(refusal(1));
  clock.advance(350);
  expect((await first).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  clock.advance(1050);
  expect((await joined).errors).toEqual([]);
});
