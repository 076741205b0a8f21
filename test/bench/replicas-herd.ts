import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { postOf } from './speed-load.ts';

/** Clients that ask the same at once and need hardly any processor time: prepared bytes over open connections. */

/** Whether an HTTP reply with a content length is complete. */
function isWhole(reply: Buffer): boolean {
  const body = reply.indexOf('\r\n\r\n') + 4;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(reply.toString('latin1', 0, body)) ?? [];
  return body >= 4 && reply.length >= body + Number(length);
}

/** Resolves to the time at which the answer is complete, in milliseconds. Rejects if it has errors or no data. */
async function answered(socket: Socket): Promise<number> {
  let reply: Buffer = Buffer.alloc(0);
  while (!isWhole(reply)) {
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    reply = reply.length > 0 ? Buffer.concat([reply, bytes]) : bytes;
  }
  const at = performance.now();
  if (!reply.includes('"data":{') || reply.includes('"errors":')) throw new Error(String(reply));
  return at;
}

/** Sends a query `each` times to every gateway. Returns the milliseconds between the first and the last answer. */
export async function spreadOfHerd(
  gateways: readonly { url: string }[],
  query: string,
  each: number,
): Promise<number> {
  const clients = gateways.flatMap(({ url }) => {
    const { hostname, port } = new URL(url);
    const bytes = postOf(`${url}/graphql`, { query });
    return Array.from({ length: each }, () => ({ socket: connect(Number(port), hostname), bytes }));
  });
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
  const times = clients.map(({ socket }) => answered(socket));
  for (const { socket, bytes } of clients) socket.write(bytes);
  const at = await Promise.all(times);
  for (const { socket } of clients) socket.destroy();
  return Math.max(...at) - Math.min(...at);
}
