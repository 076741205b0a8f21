import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { readReply } from '../reply.ts';
import { fromWholeMinute } from '../whole-minute.ts';
import { startCollector } from './collector.ts';

/** A gateway with tracing, over a sandbox. */

type Env = Record<string, string>;

export async function openTraced(env: Env, options: SandboxOptions = {}) {
  const now = fromWholeMinute();
  const sandbox = await startSandbox({ now, ...options });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const config = readConfig({ ...access(sandbox), DATA_DIR: temporaryFolder(), ...env });
  const app = await createApp(config, { log, now });
  /** Sends the remaining spans. */
  const close = () => app.close(2000);
  onTestFinished(async () => {
    await close();
    await sandbox.close();
  });
  const fetch = (body: object, headers: Env = {}) =>
    app.fetch(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  const ask = async (query: string, headers: Env = {}) => {
    const response = await fetch({ query }, headers);
    return readReply(response.status, await response.text());
  };
  const logLines = () => lines.map((line) => JSON.parse(line));
  return { sandbox, fetch, ask, close, logLines };
}

/** The same with a collector. */
export async function openCollected(env: Env = {}) {
  const collector = await startCollector();
  const traced = await openTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  /** Stops the gateway, and returns all spans that it has sent. */
  const spans = async () => {
    await traced.close();
    return collector.spans;
  };
  return { ...traced, collector, spans };
}

export const RATES = 'query Rates { fxRates(first: 1) { nodes { pair } } }';

/** The trace context that a client sends. */
export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
export const PARENT_ID = 'b7ad6b7169203331';
export const traceparent = (flags: string) => `00-${TRACE_ID}-${PARENT_ID}-${flags}`;
