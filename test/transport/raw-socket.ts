import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

interface Message {
  id?: string;
  type: string;
  payload?: unknown;
}

export type Env = Record<string, string>;

/** Opens a WebSocket whose every message the test sees. */
export async function connect(url: string, headers: Env = {}, payload?: object) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  const messages: Message[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  const status = await new Promise<number | undefined>((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
  });
  const send = (message: Message) => socket.send(JSON.stringify(message));
  const acknowledged = new Promise((resolve) => void socket.once('message', resolve));
  if (status === 101) send({ type: 'connection_init', payload });
  if (status === 101) await acknowledged;
  const ask = (id: string, query: string, variables?: object) =>
    send({ id, type: 'subscribe', payload: { query, variables } });
  const of = (type: string) => messages.filter((message) => message.type === type);
  return { socket, status, send, ask, of, closed };
}
