import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** An upstream that sends the sandbox's answers with other encodings and content types. */

export interface Seen {
  method: string | undefined;
  path: string;
  headers: IncomingHttpHeaders;
}

interface Coding {
  coding?: string;
  /** The content type. */
  type?: string;
  encode: (text: string) => Uint8Array | string;
}

const PLAIN: Coding = { encode: (text) => text };

/** Starts a server in front of the sandbox that records the requests it receives. */
export async function openRecorder(
  sandbox: Sandbox,
  { coding, type = 'application/json', encode }: Coding = PLAIN,
) {
  const seen: Seen[] = [];
  const server = createServer(({ method, headers, url = '' }, response) => {
    const [, group, path = ''] = /^\/(a|b\/v1)(\/.*)$/.exec(url) ?? [];
    seen.push({ method, path, headers });
    const { status, body } = sandbox.answer(group === 'a' ? 'A' : 'B', path);
    const sent = {
      'content-type': type,
      ...(coding && { 'content-encoding': coding }),
    };
    response.writeHead(status, sent).end(encode(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const env = { GROUP_A_URL: `${origin}/a/`, GROUP_B_URL: `${origin}/b/v1` };
  return { seen, env };
}
