import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** A receiver of OTLP over HTTP, as JSON (opentelemetry-proto, trace/v1). */

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .default([])
  .transform((all) =>
    Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])),
  );

const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  traceState: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string(), attributes })).default([]),
  status: z.object({ code: z.number().default(0), message: z.string().optional() }),
});

const body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof span>;

export const named = (spans: readonly ReceivedSpan[], name: string) =>
  spans.filter((one) => one.name === name);

/** As OTLP numbers them. */
export const KIND = { INTERNAL: 1, SERVER: 2, CLIENT: 3 };
export const STATUS = { UNSET: 0, ERROR: 2 };

export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** One for each request received. */
  requests: { path: string; headers: IncomingMessage['headers']; text: string }[];
  resources: Record<string, unknown>[];
}

/** `answers`: how it answers requests once it has read them. */
export async function startCollector(
  answers: 200 | 503 | 'slowly' | 'never' = 200,
): Promise<Collector> {
  const received: Omit<Collector, 'url'> = { spans: [], requests: [], resources: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.requests.push({ path: request.url ?? '', headers: request.headers, text });
      if (answers === 'never') return;
      const reply = () =>
        response
          .writeHead(answers === 'slowly' ? 200 : answers, { 'content-type': 'application/json' })
          .end('{}');
      if (answers === 'slowly') setTimeout(reply, 50);
      else reply();
      for (const { resource, scopeSpans } of body.parse(JSON.parse(text)).resourceSpans) {
        received.resources.push(resource.attributes);
        received.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, ...received };
}
