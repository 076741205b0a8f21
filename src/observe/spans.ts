import type { GraphQLError } from 'graphql';
import { type Group, METERS } from '../meters.ts';
import type { OperationEnd } from '../pipeline/request.ts';
import type { TraceAttributes } from '../trace.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { cacheOf } from './operation-metrics.ts';

/** What traces say about operations and upstream requests, by the names of OpenTelemetry's semantic conventions. */

/** Ends the span of an operation that is recorded. */
export function endSpan(end: OperationEnd): void {
  const { trace, type, name, errors } = end;
  if (!trace) return;
  const title = [type ?? 'GraphQL', shortOf(name)].filter(Boolean).join(' ');
  const [first] = errors;
  // A client's mistake is not a failure of the gateway.
  const hasFailed = end.by === 'execution' || codeOf(first) === 'INTERNAL_SERVER_ERROR';
  const attributes = { ...attributesOf(end), 'error.type': first && codeOf(first) };
  trace.end({ name: title, attributes, failure: hasFailed && first ? codeOf(first) : undefined });
}

function attributesOf(end: OperationEnd): TraceAttributes {
  const { by, type, name, client, operation, errors, hits, joined } = end;
  const units = METERS.map((meter) => [`marketgraph.units.${meter}`, operation?.used[meter]]);
  return {
    'graphql.operation.type': type,
    'graphql.operation.name': shortOf(name),
    'marketgraph.by': by,
    'marketgraph.client': client,
    'marketgraph.cache': cacheOf(end),
    'marketgraph.hits': hits,
    'marketgraph.joined': joined,
    'marketgraph.stale': operation?.stale,
    'marketgraph.requests': operation?.requests,
    'marketgraph.dry_run': operation?.estimate !== undefined || undefined,
    'marketgraph.errors': errors.length,
    ...Object.fromEntries(units),
  };
}

/** Maximum length of a name, in characters: names are chosen by clients. */
const MAX_NAME_LENGTH = 100;
export const shortOf = (name: string | undefined) => name?.slice(0, MAX_NAME_LENGTH);

/** Returns the code of an error as clients see it. */
export function codeOf(error: GraphQLError | undefined): string {
  const code = error?.extensions['code'];
  return typeof code === 'string' ? code : 'GRAPHQL_ERROR';
}

/** Where each group is reached: host and port, and nothing else of its URL. */
export type Servers = Readonly<Record<Group, { host: string; port: number }>>;

/** Returns a function that adds each upstream request that was sent to the span of its operation. */
export function createAddRequest(servers: Servers): (end: RequestEnd) => void {
  return (end) => {
    const { trace, wasSent, dataset, group, route, result, status, sentAt, durationMs } = end;
    if (!trace || !wasSent) return;
    const { host, port } = servers[group];
    trace.add({
      name: `GET ${route}`,
      startedAt: sentAt,
      endedAt: sentAt + durationMs,
      failure: result === 'ok' ? undefined : result,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': status,
        'server.address': host,
        'server.port': port,
        'url.template': route,
        'error.type': result === 'ok' ? undefined : result,
        'marketgraph.dataset': dataset,
        'marketgraph.result': result,
        'marketgraph.meter': end.meter,
        'marketgraph.units': end.units,
        'marketgraph.retry': end.isRetry,
        'marketgraph.client': end.client || undefined,
        'http.response.body.size': end.bytes,
      },
    });
  };
}
