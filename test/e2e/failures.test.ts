import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import { open, SECRET, timeoutFor } from '../harness.ts';
import { DATASETS, type Name, NAMES } from './failing-datasets.ts';

/**
 * Whatever goes wrong upstream: the field is null with one coded error beside it, and everything
 * else of the operation is served. The harness checks that nothing of the upstream leaks and that
 * all units spent are reported.
 */

const ALL_DATASETS = `{ ${NAMES.map((name) => `${name}: ${DATASETS[name].field}`).join(' ')} }`;

interface Failure {
  what: string;
  fault: Omit<Fault, 'path'>;
  code: string;
  retryable: boolean;
  /** Number of attempts. */
  tries: number;
  /** Units that each attempt costs. */
  cost?: number;
}

const status = (code: number, body?: unknown, headers = {}): Omit<Fault, 'path'> => ({
  kind: 'status',
  status: code,
  body,
  headers: { 'x-trace': SECRET, ...headers },
});

const bodyA = (error: string) => ({ success: false, error, message: SECRET });

const UNAVAILABLE = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, tries: 2 };
const UNREADABLE = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false, tries: 1, cost: 1 };
const UNAUTHENTICATED = { code: 'UPSTREAM_AUTHENTICATION', retryable: false, tries: 1 };

const FAILURES_OF_BOTH: Failure[] = [
  { what: 'a 500', fault: status(500, { message: SECRET }), ...UNAVAILABLE },
  { what: 'a 502 with a page', fault: status(502, `<html>${SECRET}</html>`), ...UNAVAILABLE },
  { what: 'a 503 without a body', fault: status(503), ...UNAVAILABLE },
  { what: 'a connection that is reset', fault: { kind: 'reset' }, ...UNAVAILABLE },
  {
    what: 'a body that breaks off',
    fault: { kind: 'reset-mid-body' },
    ...UNAVAILABLE,
    cost: 1,
  },
  {
    what: 'no answer in time',
    fault: { kind: 'hang' },
    code: 'UPSTREAM_TIMEOUT',
    retryable: true,
    tries: 2,
  },
  { what: 'an answer that is not JSON', fault: { kind: 'not-json' }, ...UNREADABLE },
  { what: 'an answer cut in half', fault: { kind: 'truncated-json' }, ...UNREADABLE },
  {
    what: 'an envelope without data',
    fault: { kind: 'rewrite', rewrite: () => ({ success: true, source: SECRET }) },
    ...UNREADABLE,
  },
  {
    what: 'an envelope whose data is no list',
    fault: { kind: 'rewrite', rewrite: (body) => Object.assign({}, body, { data: SECRET }) },
    ...UNREADABLE,
  },
  { what: 'an unknown refusal', fault: status(418, SECRET), ...UNREADABLE, cost: 0 },
];

const FAILURES_OF_A: Failure[] = [
  { what: 'no key', fault: status(401, bodyA('missing_api_key')), ...UNAUTHENTICATED },
  { what: 'a wrong key', fault: status(401, bodyA('invalid_api_key')), ...UNAUTHENTICATED },
  {
    what: 'an exhausted quota',
    fault: status(429, bodyA('quota_exceeded')),
    code: 'QUOTA_EXCEEDED',
    retryable: false,
    tries: 1,
  },
];

/** The shape of Group B's error body is not specified. */
const SHAPES: Record<string, (code: string) => unknown> = {
  nested: (code) => ({ success: false, error: { code, message: SECRET } }),
  flat: (code) => ({ success: false, code, message: SECRET }),
  'only a code': (code) => code,
  empty: () => undefined,
};

const REFUSALS_OF_B = [
  { http: 401, sent: 'invalid_api_key', ...UNAUTHENTICATED },
  { http: 402, sent: 'insufficient_credits', ...UNAUTHENTICATED, code: 'INSUFFICIENT_CREDITS' },
  { http: 422, sent: 'invalid_parameter', ...UNAUTHENTICATED, code: 'BAD_USER_INPUT' },
  { http: 429, sent: 'rate_limited', code: 'RATE_LIMITED', retryable: true, tries: 1 },
];

const FAILURES_OF_B: Failure[] = REFUSALS_OF_B.flatMap(({ http, sent, ...rest }) =>
  Object.entries(SHAPES).map(([shape, body]) => ({
    what: `${http} ${sent}, body ${shape}`,
    // A minute is longer than an operation may wait.
    fault: status(http, body(sent), http === 429 ? { 'retry-after': '60' } : {}),
    ...rest,
  })),
);

/** Their requests ask for more days than the query does; a refused request is retried without the additional days. */
const WIDENED: Name[] = ['legislation', 'calendar'];

const CASES = NAMES.flatMap((name) =>
  [...FAILURES_OF_BOTH, ...(DATASETS[name].group === 'A' ? FAILURES_OF_A : FAILURES_OF_B)].map(
    (failure) => {
      const isAskedAgain = failure.code === 'BAD_USER_INPUT' && WIDENED.includes(name);
      return { name, ...failure, ...(isAskedAgain && { tries: 2 }) };
    },
  ),
);

describe('a dataset that fails', () => {
  test.each(CASES)('$name, by $what: $code, and the others are served', async (failure) => {
    const { name, fault, code, retryable, tries, cost = 0 } = failure;
    const { group, meter, path } = DATASETS[name];
    const { ask, sandbox } = await open({ env: timeoutFor(fault.kind) });
    sandbox.fault({ ...fault, path });
    const { data, errors, extensions } = await ask<Record<Name, unknown>>(ALL_DATASETS);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ path: [name], extensions: { code, group, retryable } });
    expect(data[name]).toBeNull();
    expect(Object.values(data).filter((value) => value === null)).toHaveLength(1);
    const sent = sandbox.requests().filter((request) => request.path.startsWith(path));
    expect(sent).toHaveLength(tries);
    const { upstream, ...meters } = extensions.usage;
    expect(upstream).toMatchObject({ requests: NAMES.length - 1 + tries, failed: tries });
    const others = NAMES.filter((other) => DATASETS[other].meter === meter).length - 1;
    expect(meters[meter].used).toBe(others + tries * cost);
  });
});

/** Error bodies in which the upstream echoes what a client asked for. */
const ECHOING_BODIES = [
  { search: 'insufficient_credits' },
  { message: 'no record matches insufficient_credits or quota_exceeded' },
  { error: { code: 'insufficient_credits' } },
  'quota_exceeded insufficient_credits',
];

describe('a code in the body of an error', () => {
  test.each(ECHOING_BODIES)('%j is ignored: no meter is closed', async (body) => {
    const { ask, get, sandbox } = await open();
    for (const http of [400, 500]) sandbox.fault({ ...status(http, body), times: 2 });
    const { errors } = await ask(`{ ${DATASETS.rates.field} ${DATASETS.crypto.field} }`);
    for (const { extensions } of errors)
      expect(['BAD_USER_INPUT', 'UPSTREAM_UNAVAILABLE']).toContain(extensions['code']);
    sandbox.clearFaults();
    await get('{ fxRate(pair: "EURTRY") { history { latest { value } } } }');
    await get(`{ ${DATASETS.calendar.field} }`);
  });

  test('is not searched for: half a megabyte is an error like any other', async () => {
    const { ask, sandbox } = await open();
    sandbox.fault(status(418, 'a'.repeat(500_000)));
    const { errors } = await ask(`{ ${DATASETS.rates.field} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  }, 10_000);
});

describe('the cause of a failed connection appears only in the log', () => {
  test.each([
    ['the host name is unknown', 'http://nothing.invalid', /"cause":"(ENOTFOUND|EAI_AGAIN)"/],
    ['the connection is refused', 'http://127.0.0.1:1', /"cause":"ECONNREFUSED"/],
    ['the upstream does not speak TLS', 'https', /"cause":"(ERR_SSL_|EPROTO|ECONNRESET)/],
  ])('%s', async (_why, address, cause) => {
    const { sandbox, another, log } = await open();
    const { host } = new URL(sandbox.groupA.url);
    const GROUP_A_URL = address === 'https' ? `https://${host}` : address;
    const { ask } = await another({ GROUP_A_URL });
    const { errors } = await ask(`{ rates: ${DATASETS.rates.field} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(log()).toMatch(cause);
    expect(JSON.stringify(errors)).not.toMatch(/cause|ENOTFOUND|EAI_AGAIN|ECONN|SSL|EPROTO|127/);
  });
});
