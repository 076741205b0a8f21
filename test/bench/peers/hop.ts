import { createServer, type ServerResponse } from 'node:http';
import { createDirect } from '../speed-direct.ts';

/**
 * The least that a server between client and upstream can cost. It sends the page's six upstream requests, or those in
 * REQUESTS, and answers with about as many bytes as the page has.
 */

const { REQUESTS } = process.env;
const direct = createDirect(process.env, REQUESTS && JSON.parse(REQUESTS));

const firstOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data)
    ? answer.data.slice(0, 17)
    : answer;

async function sendPage(response: ServerResponse): Promise<void> {
  const all = await direct.ask();
  const body = JSON.stringify({ data: all.map(firstOf) });
  const length = Buffer.byteLength(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.end(body);
}

const server = createServer((request, response) => {
  request.resume().on('end', () => void sendPage(response));
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`listening at http://127.0.0.1:${port}/graphql\n`);
});

process.once('SIGTERM', () => process.exit(0));
