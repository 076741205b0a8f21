import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { resolvers } from './resolvers.js';
import { typeDefs } from './schema.js';
import { ADDRESSES, announce, HEADERS, TTL_SECONDS } from './upstream.js';

/** Apollo Server with its REST data source, set up as in its documentation. */

class MarketData extends RESTDataSource {
  constructor(group, options) {
    super(options);
    this.group = group;
    this.baseURL = `${ADDRESSES[group]}/`;
  }

  willSendRequest(_path, request) {
    Object.assign(request.headers, HEADERS[this.group]);
  }

  load(path) {
    return this.get(path.slice(1), { cacheOptions: { ttl: TTL_SECONDS } });
  }
}

/** Data sources of both groups for each request, which share the server's cache. */
function createContext(cache) {
  const sources = { A: new MarketData('A', { cache }), B: new MarketData('B', { cache }) };
  return { load: (group, path) => sources[group].load(path) };
}

const server = new ApolloServer({ typeDefs, resolvers, introspection: false });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => createContext(server.cache),
});
announce(new URL(url).port);
