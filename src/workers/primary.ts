import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { adminRules, createAdmin } from '../admin/admin.ts';
import { listenAdmin } from '../admin/listen.ts';
import { type Config, ConfigError } from '../config.ts';
import { openOutput } from '../observe/log-output.ts';
import { logStart, warnOfConfig } from '../observe/start-lines.ts';
import { sinceStart } from '../monotonic.ts';
import { GRACE_MS } from '../time.ts';
import { createPace } from '../upstream/pace.ts';
import type { Link } from './link.ts';
import type { SharedSandbox } from './worker-settings.ts';
import { createOverview } from './overview.ts';
import { createStart } from './process.ts';
import { createTeam } from './team.ts';
import { createPermitIssuer } from './permits.ts';

/** How long a worker may take to stop, beyond draining and the grace period of requests. */
const STOP_MARGIN_MS = 3000;

/** Several workers, and the admin listener for all of them. */
interface WorkerGroup {
  /** Resolves when all workers serve. Rejects with the error of the first worker that cannot start. */
  start(): Promise<void>;
  /** Handles a signal, even one that arrives during the start. */
  stop(signal: string): Promise<void>;
}

/** Leads the workers that serve the port; itself serves only the admin listener. `program`: the file workers run. */
export async function lead(config: Config, program: string): Promise<WorkerGroup> {
  const output = openOutput();
  const log = output.logger(config.logLevel);
  const sandbox = await openSandbox(config, log);
  const links = new Set<Link>();
  const pace = createPace(config.groupBRequestsPerSecond ?? Infinity, sinceStart);
  const issuePermits = createPermitIssuer(pace, sinceStart, links);
  let isStopping = false;
  const team = createTeam({
    count: config.workers,
    stopMs: config.drainMs + GRACE_MS + STOP_MARGIN_MS,
    settings: { isTerminal: output.isTerminal, sandbox: sandbox?.shared },
    startProcess: createStart(program, output.write),
    log,
    onStart(link) {
      links.add(link);
      issuePermits(link);
      relayNews(link, links);
    },
    onEnded(worker, link) {
      links.delete(link);
      overview.noteEnded(worker);
    },
    onGiveUp() {
      log.fatal('giving up: no worker stays up');
      process.exit(1);
    },
  });
  const overview = createOverview(config, team.serving, () => isStopping);
  const workers = () => ({ up: team.serving().length, of: config.workers });
  const handler = createAdmin({ ...overview, workers, ...adminRules(config) });
  let admin: Awaited<ReturnType<typeof listenAdmin>>;

  return {
    async start() {
      // Before the workers start: if this fails, nobody must be served.
      admin = await listenAdmin(handler, config.admin, log);
      const url = await team.start();
      logStart(log, config, url, sandbox !== undefined);
      warnOfConfig(log, config);
    },
    async stop(signal) {
      log.info(`${signal}: shutting down, finishing requests in flight`);
      isStopping = true;
      const isClean = await team.stop();
      await admin?.close();
      await sandbox?.close();
      if (!isClean) process.exitCode = 1;
    },
  };
}

/** Passes on the news of one worker to all others. */
function relayNews(link: Link, links: ReadonlySet<Link>): void {
  link.on('told', (item) => {
    for (const other of links) if (other !== link) other.notify('told', item);
  });
}

/** Opens one sandbox for all workers, and a folder for what they share: neither outlives this process. */
async function openSandbox(config: Config, log: Logger) {
  if (config.upstream) return undefined;
  if (config.sharedUrls.length > 0) log.warn('SHARED_URL: ignored, since the sandbox is served');
  const { openUpstream } = await import('../gateway.ts');
  const { upstream, closeUpstream } = await openUpstream(config, {});
  const { groupA, groupB } = upstream;
  const dataDir = makeTemporaryFolder();
  const shared: SharedSandbox = { upstream: { groupA, groupB }, dataDir };
  // On any exit, not only after a stop.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  return { shared, close: closeUpstream };
}

function makeTemporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'marketgraph-'));
  } catch (error) {
    throw new ConfigError(
      `WORKERS: the sandbox's workers share a temporary folder, which could not be created (set TMPDIR to a writable folder): ${String(error)}`,
    );
  }
}
