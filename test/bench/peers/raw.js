import { createServer } from 'node:http';
import { announce } from './upstream.js';

/**
 * The upper bound of speed: a server that only sends bytes. PUT stores a body at a path; GET, and POST
 * with any body, return it.
 */

const bodies = new Map();

function collect(request, use) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => use(Buffer.concat(chunks)));
}

function send(response, body) {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(body);
}

const server = createServer((request, response) => {
  const body = bodies.get(request.url);
  if (request.method === 'PUT')
    collect(request, (bytes) => {
      bodies.set(request.url, bytes);
      send(response, Buffer.from('{}'));
    });
  else if (!body) response.writeHead(404).end();
  else if (request.method === 'GET') send(response, body);
  else collect(request, () => send(response, body));
});

server.listen(0, '127.0.0.1', () => announce(server.address().port));
