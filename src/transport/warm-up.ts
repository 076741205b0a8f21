import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import type { CheckDocument } from '../documents/check.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../pipeline/pipeline.ts';
import { readAssets } from '../studio/assets.ts';
import { createHttp, type HttpOptions } from './http.ts';
import { createListener, type ListenerOptions } from './node.ts';

/**
 * Runs a typical operation several times before the port opens. In a process that has just started no
 * function is compiled yet: its first answer would take several times as long as later ones.
 */

export interface WarmUpOptions {
  /** Of the pipeline and the transport that are to serve clients. */
  pipeline: PipelineOptions;
  http: HttpOptions;
  listener: Omit<ListenerOptions, 'http'>;
  /** One of its own: what it remembers is of no use to anybody. */
  checkDocument: CheckDocument;
}

/** Asks for something of every dataset. */
const OPERATION = 'market-page.graphql';
/** After so many hardly anything becomes faster. */
const ROUNDS = 16;
/** They take a quarter of that; a machine that is busy starts without the rest of them. */
const MOST_MS = 800;

/** Never rejects. */
export async function warmUp({ pipeline, http, listener, checkDocument }: WarmUpOptions) {
  const dryPipeline = createDryPipeline({ ...pipeline, checkDocument });
  const originRules = { origins: [], hosts: undefined };
  const dryHttp = createHttp({ ...http, originRules, door: undefined, pipeline: dryPipeline });
  const server = createServer(createListener({ ...listener, http: dryHttp }));
  const text = readAssets()[OPERATION] ?? '';
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), MOST_MS);
  try {
    // Each text is another one, since none is parsed twice.
    for (let round = 0; round < ROUNDS; round += 1)
      await ask(server, `${text}# ${round}`, ending.signal);
  } catch {
    // It has taken too long.
  }
  clearTimeout(timer);
}

/**
 * Runs whatever it is given as a dry run, which sends nothing upstream and of which nothing is kept.
 * Nobody observes it.
 */
function createDryPipeline(options: PipelineOptions): Pipeline {
  const documents: PipelineOptions['documents'] = {
    // Served also where clients may only ask for listed operations.
    find: ({ query }) => ({ text: query ?? '' }),
    register: () => undefined,
  };
  const run = createPipeline({ ...options, documents, observe: undefined });
  return (request) => run({ ...request, isDry: true, key: undefined });
}

/** Over a connection within the process, so that node:http is warm, too. */
async function ask(server: Server, query: string, signal: AbortSignal): Promise<void> {
  const [client, connection] = duplexPair();
  server.emit('connection', connection);
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'accept: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  client.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  client.resume();
  await once(client, 'end', { signal });
  client.end();
}
