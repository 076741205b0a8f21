import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { open } from './opened.ts';

/** More requests than may be in flight at a time: waiting for others takes nothing from a request's own timeout. */

const MAX_IN_FLIGHT = 32;
const REQUESTS = 40;
const TIMEOUT_MS = 4000;
/** Twice this exceeds the timeout, and once leaves a slow machine a second. */
const ANSWER_MS = 3000;

/** Answers each request after `ANSWER_MS`. */
async function slowUpstream() {
  const seen = { requests: 0, atOnce: 0, max: 0 };
  const server = createServer((_request, response) => {
    seen.requests += 1;
    seen.atOnce += 1;
    seen.max = Math.max(seen.max, seen.atOnce);
    const answer = () => {
      seen.atOnce -= 1;
      response.setHeader('content-type', 'application/json').end('{"success":true,"data":[]}');
    };
    setTimeout(answer, ANSWER_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return { url: `http://127.0.0.1:${port}`, seen };
}

test('no request that the upstream answers in time is aborted, and each is sent once', async () => {
  const { url, seen } = await slowUpstream();
  const { ask, begin } = await open({ groupB: { baseUrl: url }, timeoutMs: TIMEOUT_MS });
  const asked = Array.from({ length: REQUESTS }, () => ask('crypto', begin(15_000)));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['ok']));
  expect(seen).toEqual({ requests: REQUESTS, atOnce: 0, max: MAX_IN_FLIGHT });
});
