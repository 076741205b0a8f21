import dns from 'node:dns';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { open } from '../harness.ts';
import { listen } from '../silent-upstream.ts';

/** How requests reach a server that is not the sandbox. */

const { lookup } = dns;

/** Lets the test decide when names are resolved. Returns the look-ups so far: what each waits for, and how it goes on. */
function heldLookups() {
  const held: { host: string; release: () => void }[] = [];
  vi.spyOn(dns, 'lookup').mockImplementation((host: string, ...given: unknown[]) => {
    const release = () => Reflect.apply(lookup, dns, [host, ...given]);
    if (host.startsWith('localhost')) held.push({ host, release });
    else release();
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return held;
}

/** Group A as a server of its own, which answers nothing, and notes the heads of its requests. */
async function startGroupA() {
  const heads: IncomingHttpHeaders[] = [];
  const server = createHttpServer(({ headers }, response) => {
    heads.push(headers);
    response.writeHead(503).end();
  });
  const address = await listen(server);
  return { heads, url: `http://${address.replace('127.0.0.1', 'localhost')}` };
}

test('connections that begin at the same time look their host up once', async () => {
  const { heads, url } = await startGroupA();
  const { ask } = await open({ env: { GROUP_A_URL: url } });
  const held = heldLookups();
  const fields = ['USD', 'EUR', 'GBP', 'CHF'].map(
    (base) => `${base}: fxRate(pair: "${base}TRY") { history { change } }`,
  );
  const asked = ask(`{ ${fields.join(' ')} macroCatalog { totalCount } }`);
  await expect.poll(() => held).toHaveLength(1);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(held).toHaveLength(1);
  held[0]?.release();
  expect((await asked).errors.length).toBeGreaterThan(0);
  expect(heads.length).toBeGreaterThan(1);
});

test('requests say who sends them: firewalls refuse those that do not', async () => {
  const { heads, url } = await startGroupA();
  const { ask } = await open({ env: { GROUP_A_URL: url } });
  await ask('{ fxRates { totalCount } health { ok } }');
  expect(heads.length).toBeGreaterThan(1);
  for (const head of heads) expect(head['user-agent']).toBe('marketgraph');
});

test('the log says of a server that does not speak HTTP what it is', async () => {
  const server = createServer((socket: Socket) => void socket.end('SSH-2.0-x\r\n'));
  const { ask, log } = await open({ env: { GROUP_A_URL: `http://${await listen(server)}` } });
  const { errors } = await ask('{ fxRates { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(log()).toContain('"cause":"HTTP_PARSER_ERROR"');
});
