import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptListIn } from '../../src/documents/kept-list.ts';
import { openManifests } from '../../src/documents/manifests.ts';
import { schema } from '../../src/schema.ts';
import { sharedBySqlite } from '../../src/shared/sqlite/answers.ts';
import { open, temporaryFolder } from '../harness.ts';
import { STORES } from '../shared/stores.ts';
import { write } from './gateway.ts';

/** Operations that an earlier process had listed, as before an update that brings other manifests. */

const DAY_MS = 86_400_000;
const A = 'query A { a: __typename }';
const B = 'query B { b: __typename }';
const C = 'query C { c: __typename }';
const D = 'query D { d: __typename }';

type Asked = Awaited<ReturnType<typeof open>>;

/** The data of the operation with this id, or the code of its error. */
async function answerOf({ send }: Pick<Asked, 'send'>, id: string): Promise<unknown> {
  const { data, errors } = await send({}, `?documentId=${id}`);
  return errors[0]?.extensions.code ?? data;
}

const NOT_IN_LIST = 'PERSISTED_QUERY_NOT_IN_LIST';

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  /** Opens a gateway that lists `a`, and waits until that is stored. */
  async function openFirst(env: Record<string, string> = {}) {
    const store = await openStore();
    const folder = temporaryFolder();
    const listing = (operations: object, name = 'manifest.json') => ({
      ...store.env,
      ...env,
      PERSISTED_DOCUMENTS: write(folder, name, operations),
    });
    const first = await open({ env: listing({ a: A }) });
    await expect.poll(store.stored).toBe(1);
    const later = (operations: object, name?: string) => first.another(listing(operations, name));
    return { ...first, later };
  }

  test.skipIf(isMissing)('operations listed earlier are served for a day more', async () => {
    const { later, clock, log } = await openFirst();
    const second = await later({ b: B });
    expect(log()).toMatch(
      /"operations":1,"msg":"PERSISTED_DOCUMENTS: operations listed earlier are still served/,
    );
    // Twice, so that the second answer is a kept one.
    for (let n = 0; n < 2; n += 1) expect(await answerOf(second, 'a')).toEqual({ a: 'Query' });
    expect(await answerOf(second, 'b')).toEqual({ b: 'Query' });
    clock.advance(DAY_MS - 1);
    expect(await answerOf(second, 'a')).toEqual({ a: 'Query' });
    clock.advance(1);
    expect(await answerOf(second, 'a')).toBe(NOT_IN_LIST);
    expect(await answerOf(second, 'b')).toEqual({ b: 'Query' });
  });

  test.skipIf(isMissing)('an id has the text that is listed now', async () => {
    const { later } = await openFirst({ PERSISTED_ONLY: '1' });
    const second = await later({ a: B });
    expect(await answerOf(second, 'a')).toEqual({ b: 'Query' });
    // The earlier text is still served as well.
    expect(await second.get(A)).toEqual({ a: 'Query' });
  });

  test.skipIf(isMissing)('a gateway with another file has a list of its own', async () => {
    const { later } = await openFirst({ PERSISTED_ONLY: '1' });
    const other = await later({ b: B }, 'public.json');
    expect(await answerOf(other, 'a')).toBe(NOT_IN_LIST);
    expect(await answerOf(other, 'b')).toEqual({ b: 'Query' });
  });
});

/** Processes that share a file and the test's clock. */
function openProcesses() {
  let at = Date.parse('2026-11-20T09:00:00Z');
  const now = () => at;
  const onTrouble = { begins: () => {}, ends: () => {}, putAside: () => {} };
  const file = { path: ':memory:', maxBytes: 1e6, now, monotonic: now, onTrouble };
  const shared = sharedBySqlite(file);
  const listOf = () => keptListIn([], shared, now);
  const kept = listOf();
  const log = pino({ level: 'silent' });
  const ids = async () => (await kept.read()).map(({ id }) => id).toSorted();
  /** Starts a process that lists `list`, and waits until `knows` are stored in all. */
  const start = async (
    list: Record<string, string>,
    knows: readonly string[],
    retireMs = DAY_MS,
  ) => {
    const paths = [write(temporaryFolder(), 'manifest.json', list)];
    const manifests = await openManifests({
      paths,
      schema,
      monotonic: now,
      log,
      retireMs,
      kept: listOf(),
      syncEveryMs: 10,
    });
    onTestFinished(manifests.close);
    await expect.poll(ids).toEqual(knows);
    const find = (id: string) => manifests.find(id)?.body;
    return { ...manifests, find };
  };
  return { start, kept, ids, pass: (ms: number) => void (at += ms) };
}

test('another start does not prolong the day of an operation that is no longer listed', async () => {
  const { start, pass } = openProcesses();
  for (const [list, knows] of [
    [{ a: A }, ['a']],
    [{ b: B }, ['a', 'b']],
  ] as const) {
    const { close } = await start(list, knows);
    close();
  }
  pass(DAY_MS / 2);
  const { find } = await start({ c: C }, ['a', 'b', 'c']);
  expect(['a', 'b', 'c'].map(find)).toEqual([A, B, C]);
  pass(DAY_MS / 2);
  expect(['a', 'b', 'c'].map(find)).toEqual([undefined, B, C]);
});

test('with a retire time of 0, an operation that is no longer listed is not served, then or later', async () => {
  const { start } = openProcesses();
  const first = await start({ a: A, b: B }, ['a', 'b']);
  first.close();
  const second = await start({ b: B }, ['b'], 0);
  expect(['a', 'b'].map(second.find)).toEqual([undefined, B]);
  second.close();
  const third = await start({ b: B }, ['b']);
  expect(['a', 'b'].map(third.find)).toEqual([undefined, B]);
});

test('an id that is no longer listed keeps its last text', async () => {
  const { start, pass } = openProcesses();
  const versions: [list: Record<string, string>, knows: string[]][] = [
    [{ x: A }, ['x']],
    [{ x: B }, ['x', 'x']],
    [{ c: C }, ['c', 'x', 'x']],
  ];
  for (const [list, knows] of versions) {
    const { close } = await start(list, knows);
    close();
    pass(DAY_MS / 24);
  }
  const { find } = await start({ c: C }, ['c', 'x', 'x']);
  expect(find('x')).toBe(B);
  // Also after it has compared the lists again.
  await start({ c: C, d: D }, ['c', 'd', 'x', 'x']);
  await expect.poll(() => find('d')).toBe(D);
  expect(find('x')).toBe(B);
});

test('kept answers end when an id that is no longer listed gets another text from another process', async () => {
  const { start, kept } = openProcesses();
  const first = await start({ x: A }, ['x']);
  first.close();
  const { find, versionCheck } = await start({ c: C }, ['c', 'x']);
  const isCurrent = versionCheck();
  await kept.write([{ id: 'x', body: B }]);
  await expect.poll(() => find('x')).toBe(B);
  expect(isCurrent()).toBe(false);
});

test('entries that are lost, or overwritten by another process, are written again', async () => {
  const { start, kept, ids } = openProcesses();
  await start({ a: A, b: B }, ['a', 'b']);
  for (const operations of [[], [{ id: 'a', body: A }]]) {
    await kept.write(operations);
    await expect.poll(ids).toEqual(['a', 'b']);
  }
});

test('processes with different lists, as when one version replaces another, serve both', async () => {
  const { start, kept, pass } = openProcesses();
  const older = await start({ a: A, b: B }, ['a', 'b']);
  const newer = await start({ a: A, c: C }, ['a', 'b', 'c']);
  await expect.poll(() => older.find('c')).toBe(C);
  // As long as one of them lists it, it does not expire.
  for (let hours = 0; hours < 60; hours += 20) {
    pass(DAY_MS - DAY_MS / 6);
    await expect.poll(() => newer.find('b')).toBe(B);
  }
  older.close();
  const remainingMsOfB = async () => (await kept.read()).find(({ id }) => id === 'b')?.leftMs;
  await expect.poll(remainingMsOfB).toBeDefined();
  pass(DAY_MS);
  expect(newer.find('b')).toBeUndefined();
  expect(newer.find('c')).toBe(C);
});
