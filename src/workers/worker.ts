import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import type { AdminParts, Member } from '../admin/member.ts';
import type { Config } from '../config.ts';
import type { Hours } from '../console/csv.ts';
import { asError } from '../maybe.ts';
import { createWorkerLog } from '../observe/log-output.ts';
import { prepare } from '../serve.ts';
import type { News } from '../shared/news.ts';
import { sinceStart } from '../monotonic.ts';
import { type Link, openLink } from './link.ts';
import type { WorkerSettings } from './worker-settings.ts';
import { shareOf } from './share.ts';
import { permitsOver } from './permits.ts';

/** Runs a worker, which serves the port. The primary process (primary.ts) starts it and tells it when to end. */
export async function work(config: Config): Promise<void> {
  const link = openLink({
    // Errors are ignored: a primary process that has ended needs no messages.
    send: (message) => process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => process.on('message', listener),
  });
  // A connection that a killed primary process handed over last cannot be acknowledged. The worker ends with the
  // disconnect, which follows.
  cluster.worker?.on('error', () => undefined);
  try {
    await serve(config, link);
  } catch (error) {
    await link.ask('failed', asError(error).message);
    process.exit(1);
  }
}

async function serve(config: Config, link: Link): Promise<void> {
  link.on('stop', () => process.exit(0));
  const settings = (await link.ask('orders')) as WorkerSettings;
  const log = createWorkerLog(config.logLevel, settings.worker, settings.isTerminal);
  const ownConfig = configOf(config, settings);
  const isSandbox = settings.sandbox !== undefined;
  const { open, stop } = await prepare(ownConfig, log, { member: memberOf(link), isSandbox });
  // Answered when all workers are prepared, so that the port opens only once everything is ready.
  await link.ask('prepared');
  link.on('stop', async () => {
    await stop();
    process.exit(0);
  });
  link.notify('open', await open());
}

function configOf(config: Config, { of, sandbox }: WorkerSettings): Config {
  const own = shareOf(config, of);
  return sandbox ? { ...own, ...sandbox, sharedUrls: [] } : own;
}

function memberOf(link: Link): Member {
  return {
    ...newsOver(link),
    permits: permitsOver(link, sinceStart),
    offer: (parts) => offer(link, parts),
  };
}

function newsOver(link: Link): Pick<Member, 'news' | 'siblings'> {
  const topics = new EventEmitter();
  const listen: News['listen'] = (topic, listener) => void topics.on(topic, listener);
  const publish: News['publish'] = (topic, text) => link.notify('told', { topic, text });
  link.on('told', (item) => {
    const { topic, text } = item as { topic: string; text: string };
    topics.emit(topic, text);
  });
  const news: News = {
    listen,
    publish(topic, text) {
      publish(topic, text);
      topics.emit(topic, text);
    },
  };
  return { news, siblings: { listen, publish } };
}

/** Answers the questions of the primary's admin listener (overview.ts). */
function offer(link: Link, { metrics, console, readiness, flush }: AdminParts): void {
  link.on('metrics', () => metrics?.values());
  link.on('readiness', readiness);
  link.on('flush', () => {
    flush();
    return readiness();
  });
  link.on('report', (month) => console?.report(month as string | null));
  link.on('rows', (hours) => console?.rows(hours as Hours));
}
