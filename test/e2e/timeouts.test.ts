import { createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { open } from '../harness.ts';
import { listen, silentUpstream } from '../silent-upstream.ts';

/** An upstream that charges for answers that come too late, so that the charge is never stated. */

const RATE = '{ fxRate(pair: "USDTRY") { mid } }';
const LIMIT = 5;
const env = { UPSTREAM_TIMEOUT_MS: '400', FX_MONTHLY_LIMIT: String(LIMIT) };

test.each([
  ['never answers', false, 'UPSTREAM_TIMEOUT'],
  ['closes the connection', true, 'UPSTREAM_UNAVAILABLE'],
])('if it %s, no more is charged than a limit allows', async (_what, breaksOff, code) => {
  const { url, charged } = await silentUpstream(breaksOff);
  // The sandbox does not know what the other upstream charges.
  // What breaks off must not come too late on a busy machine.
  const UPSTREAM_TIMEOUT_MS = breaksOff ? '10000' : env.UPSTREAM_TIMEOUT_MS;
  const settings = { ...env, UPSTREAM_TIMEOUT_MS, GROUP_A_URL: url };
  const { ask, clock } = await open({ env: settings, unreadUnits: -LIMIT });
  const codes: unknown[] = [];
  while (codes.length < 20 && codes.at(-1) !== 'QUOTA_EXCEEDED') {
    codes.push((await ask(RATE)).errors[0]?.extensions['code']);
    clock.advance(60_000);
  }
  expect(codes[0]).toBe(code);
  expect(codes.at(-1)).toBe('QUOTA_EXCEEDED');
  expect(charged()).toBeLessThanOrEqual(LIMIT);
  const { usage } = (await ask(RATE)).extensions;
  expect(usage.fx).toEqual({ used: 0, usedThisMonth: LIMIT, limit: LIMIT, remaining: 0 });
});

test('if TIMEOUTS_COUNT is 0, or no limit is set, timeouts count as nothing', async () => {
  const { another } = await open();
  const { url } = await silentUpstream();
  const { FX_MONTHLY_LIMIT: _limit, ...unlimited } = env;
  for (const settings of [{ ...env, TIMEOUTS_COUNT: '0' }, unlimited]) {
    const { ask } = await another({ ...settings, GROUP_A_URL: url });
    const { errors, extensions } = await ask(RATE);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(extensions.usage.fx).toMatchObject({ used: 0, usedThisMonth: 0 });
  }
});

test('a connection that is never established counts as nothing', async () => {
  // Accepts connections, but never answers the TLS handshake.
  const address = await listen(createTcpServer({ pauseOnConnect: true }));
  const { ask } = await open({ env: { ...env, GROUP_A_URL: `https://${address}` } });
  const { errors, extensions } = await ask(RATE);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(extensions.usage.fx).toMatchObject({ used: 0, usedThisMonth: 0 });
});

test('connections that are never established are not tried one after the other', async () => {
  const hellos: string[] = [];
  const server = createTcpServer((socket) => {
    socket.once('data', (hello) => hellos.push(hello.toString('latin1')));
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  const GROUP_A_URL = `https://${await listen(server)}`;
  const { ask } = await open({ env: { UPSTREAM_TIMEOUT_MS: '2000', GROUP_A_URL } });
  const codes = ['TP.DK.USD.A', 'TP.DK.EUR.A', 'TP.DK.GBP.A', 'TP.DK.CHF.A', 'TP.DK.JPY.A'];
  const asked = codes.map((code) =>
    ask(`{ macroCatalog(filter: { search: "${code}" }) { totalCount } }`),
  );
  await expect.poll(() => hellos.length).toBe(codes.length);
  // HTTP/2 is not offered: a request that timed out would leave the connection in use.
  for (const hello of hellos) expect(hello).not.toContain('\u0002h2');
  await Promise.all(asked);
});

test('an answer whose body breaks off is paid for, and so is the retry', async () => {
  // Not with the short timeout: on a busy machine the answers may come later.
  const { ask, sandbox } = await open({ env: { FX_MONTHLY_LIMIT: String(LIMIT) } });
  sandbox.fault({ kind: 'reset-mid-body', times: 1 });
  const { errors, extensions } = await ask(RATE);
  expect(errors).toEqual([]);
  expect(extensions.usage.fx).toMatchObject({ used: 2, usedThisMonth: 2 });
});

test('a process that is blocked beyond the timeout reads what has arrived meanwhile, and pays for it once', async () => {
  const { ask, sandbox } = await open({ env });
  sandbox.fault({ kind: 'delay', delayMs: 100, times: 1 });
  const asked = ask(RATE);
  await expect.poll(() => sandbox.requests().length).toBe(1);
  const end = performance.now() + 1000;
  while (performance.now() < end);
  const { errors } = await asked;
  expect(errors).toEqual([]);
  expect(sandbox.requests()).toHaveLength(1);
});
