import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends a request verbatim, and returns everything received until the connection ends. */
export async function sendRaw(url: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const length = body ? [`content-length: ${Buffer.byteLength(body)}`] : [];
  socket.write([...lines, ...length, '', body].join('\r\n'));
  return text(socket);
}
