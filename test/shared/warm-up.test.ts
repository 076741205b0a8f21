import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { OperationEnd } from '../../src/pipeline/request.ts';
import { warmUp } from '../../src/warm-up.ts';
import { listen } from '../../src/transport/node.ts';
import { access, connect, open, temporaryFolder } from '../harness.ts';
import { otherProcess, stored } from './stored.ts';

/** The warm-up, which runs before the port opens, spends nothing and is reported to nobody. */

const RATES = '{ fxRates(first: 1) { totalCount } }';

/** Opens a gateway that can be warmed up, over the data that another one has left. */
async function openCold(env: Record<string, string> = {}) {
  const DATA_DIR = temporaryFolder();
  const bench = await open({ env: { DATA_DIR } });
  await bench.ask(RATES);
  await stored(DATA_DIR, 1);
  const config = readConfig({ ...access(bench.sandbox), DATA_DIR, ...env });
  const seen = { lines: [] as string[], ends: [] as unknown[] };
  const log = pino({ level: 'trace' }, { write: (line: string) => void seen.lines.push(line) });
  const onOperationEnd = (end: unknown) => void seen.ends.push(end);
  const app = await createApp(config, { now: bench.clock.now, log, onOperationEnd });
  onTestFinished(() => app.close());
  return { ...bench, app, seen, DATA_DIR };
}

function unitsIn(folder: string): unknown[] {
  const db = otherProcess(folder);
  try {
    db.exec(`ATTACH '${folder}/ledger.sqlite' AS ledger`);
    const [table] = db.prepare(`SELECT name FROM ledger.sqlite_master WHERE type = 'table'`).all();
    return db.prepare(`SELECT * FROM ledger.${String(table?.['name'])}`).all();
  } finally {
    db.close();
  }
}

test('it asks nothing of the upstream, counts nothing, and is reported to nobody', async () => {
  const { app, seen, sandbox, DATA_DIR } = await openCold();
  const before = { units: unitsIn(DATA_DIR), requests: sandbox.requests().length };
  seen.lines.length = 0;
  await app.warmUp();
  expect({ units: unitsIn(DATA_DIR), requests: sandbox.requests().length }).toEqual(before);
  expect(before).toMatchObject({ requests: 1 });
  expect(seen).toEqual({ lines: [], ends: [] });
});

test('the account of the first operation is its own', async () => {
  const { app, seen, noteReply } = await openCold();
  await app.warmUp();
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(() => server.close(0));
  const reply = await connect(`${server.url}/graphql`).ask(RATES);
  noteReply(reply, '');
  const { fx, upstream } = reply.extensions.usage;
  expect(fx).toMatchObject({ used: 0, usedThisMonth: 1 });
  expect(upstream).toEqual({ requests: 0, cacheHits: 1, coalesced: 0, stale: 0, failed: 0 });
  expect(seen.ends).toHaveLength(1);
});

test('it changes nothing if only listed operations are served, and only to certain hosts', async () => {
  const { app, seen } = await openCold({ PERSISTED_ONLY: '1', ALLOWED_HOSTS: 'a.example' });
  await app.warmUp();
  expect(seen.ends).toEqual([]);
  const reply = await app.fetch(
    new Request('http://a.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: RATES }),
    }),
  );
  expect(await reply.json()).toMatchObject({
    errors: [{ extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED' } }],
  });
});

test('its operations ask a sandbox for every dataset once, and then find everything fresh', async () => {
  const ends: OperationEnd[] = [];
  const onOperationEnd = (end: OperationEnd) => void ends.push(end);
  await warmUp((config, options) => createApp(config, { ...options, onOperationEnd }), 60_000);
  expect(ends).toHaveLength(6);
  expect(ends.flatMap(({ errors }) => errors)).toEqual([]);
  const pages = ends.filter(({ name }) => name === 'MarketPage');
  const credits = pages.map(({ operation }) => operation?.used.credits);
  expect(credits).toEqual([3, 0, 0]);
});
