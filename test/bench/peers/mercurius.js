import Fastify from 'fastify';
import mercurius from 'mercurius';
import { resolvers } from './resolvers.js';
import { typeDefs } from './schema.js';
import { ADDRESSES, announce, HEADERS, TTL_SECONDS } from './upstream.js';

/** Mercurius with its compiler, and the simplest cache there is: parsed answers by path. */

const held = new Map();

async function fetchJson(group, path) {
  const response = await fetch(ADDRESSES[group] + path, { headers: HEADERS[group] });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Shares requests in flight, too, unless TTL_SECONDS is 0. */
function load(group, path) {
  const known = held.get(path);
  if (known && known.until > Date.now()) return known.body;
  const body = fetchJson(group, path);
  if (TTL_SECONDS > 0) held.set(path, { body, until: Date.now() + TTL_SECONDS * 1000 });
  return body;
}

const app = Fastify({ logger: false });
app.register(mercurius, { schema: typeDefs, resolvers, jit: 1, context: () => ({ load }) });
await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
