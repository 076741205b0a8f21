import type { Logger } from 'pino';
import type { ClientRefusal } from '../clients/observed.ts';
import { type Meter, METERS } from '../meters.ts';
import type { ObserveOperation, OperationEnd } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';
import type { SocketEvent } from '../transport/socket.ts';
import type { RepeatsObserver } from './batch.ts';
import { lineWriterOf } from './log-output.ts';
import { createThrottle } from './throttle.ts';
import { codeOf, shortOf } from './spans.ts';

/** Logs what has ended. These are observers: nothing passes through them, and nothing waits for them. */

/** Logs each operation in a line at level info, without empty fields; undefined if that level is not logged. */
export function createOperationLog(log: Logger): RepeatsObserver | undefined {
  if (!log.isLevelEnabled('info')) return undefined;
  const writeLine = lineWriterOf(log);
  if (!writeLine)
    return eachTime((end) => {
      if (end.by === 'overload') return;
      log.info({ ...constantFieldsOf(end), ms: msOf(end), ...varyingFieldsOf(end) }, 'operation');
    });
  const beginningOf = createBeginnings();
  return {
    ended(end) {
      if (end.by === 'overload') return;
      writeLine(end.at, beginningOf(end), endOf(end));
    },
    repeats(first) {
      const beginning = beginningOf(first);
      const { hits } = first;
      return (times) => writeLine(times.at, beginning, endOfHits(hits, msOf(times)));
    },
  };
}

/** Makes an observer that is notified of each operation by itself, also when a kept answer is sent again. */
export const eachTime = (ended: ObserveOperation): RepeatsObserver => ({
  ended,
  repeats: (first) => (times) => ended({ ...first, ...times }),
  isAtOnce: true,
});

/** Maximum number of operations, by name and client, for which the beginning of their lines is cached. */
const MAX_BEGINNINGS = 1000;

/** Most answers belong to few operations: the part of their lines that never changes is made only once. */
function createBeginnings(): (end: OperationEnd) => Buffer {
  const beginnings = new Map<string, Buffer>();
  return (end) => {
    const { by, type = '', name = '', client = '' } = end;
    const key = `${by} ${type} ${name} ${client}`;
    const known = beginnings.get(key);
    if (known !== undefined) return known;
    const made = Buffer.from(`,${JSON.stringify(constantFieldsOf(end)).slice(1, -1)},"ms":`);
    if (beginnings.size < MAX_BEGINNINGS) beginnings.set(key, made);
    return made;
  };
}

/** The fields that are the same for all answers to an operation that were obtained in the same way. */
const constantFieldsOf = ({ by, type, name, client }: OperationEnd) => ({
  by,
  type,
  name: shortOf(name),
  client,
});

function varyingFieldsOf(end: OperationEnd) {
  const { operation, hits, joined, errors, trace } = end;
  return {
    units: operation && unitsOf(operation.used),
    hits: hits || undefined,
    joined: joined || undefined,
    stale: operation?.stale || undefined,
    errors: errors.length > 0 ? [...new Set(errors.map(codeOf))] : undefined,
    trace_id: trace?.traceId,
  };
}

/** Returns milliseconds to a hundredth: sending a kept answer takes no longer than that. */
const msOf = ({ startedAt, endedAt }: Pick<OperationEnd, 'startedAt' | 'endedAt'>) =>
  Math.round((endedAt - startedAt) * 100) / 100;

/** Returns what follows the beginning of a line. */
function endOf(end: OperationEnd): Buffer {
  if (hasOnlyHits(end)) return endOfHits(end.hits, msOf(end));
  const changing = JSON.stringify(varyingFieldsOf(end)).slice(1, -1);
  return Buffer.from(`${msOf(end)}${changing && `,${changing}`}${LINE_END}`);
}

const LINE_END = ',"msg":"operation"}\n';

/** Whether the rest of a line says only how long the answer took, and how many cache hits were in it. */
function hasOnlyHits({ operation, joined, errors, trace }: OperationEnd): boolean {
  if (joined > 0 || errors.length > 0 || trace) return false;
  return !operation || (operation.requests === 0 && operation.stale === 0);
}

/** Line ends are cached for answers that took less than 5 ms and had fewer cache hits than this. */
const MAX_CACHED_HUNDREDTHS = 500;
const MAX_CACHED_HITS = 50;
const cachedEnds = Array.from({ length: MAX_CACHED_HITS }, (): Buffer[] => []);

/** Returns the end of such a line: most lines have the same end as many others. */
function endOfHits(hits: number, ms: number): Buffer {
  const known = cachedEnds[hits];
  const hundredths = Math.round(ms * 100);
  const make = () => Buffer.from(`${ms}${hits > 0 ? `,"hits":${hits}` : ''}${LINE_END}`);
  return known && hundredths < MAX_CACHED_HUNDREDTHS ? (known[hundredths] ??= make()) : make();
}

/** Returns units by meter, without meters of which nothing was spent. */
function unitsOf(used: Readonly<Record<Meter, number>>) {
  const spent = METERS.filter((meter) => used[meter] > 0);
  return spent.length > 0
    ? Object.fromEntries(spent.map((meter) => [meter, used[meter]]))
    : undefined;
}

/** Logs a line when operations begin to be refused because of overload, and then one a minute with their number. */
export function createOverloadLog(log: Logger, monotonic: Clock) {
  const throttle = createThrottle<undefined>(monotonic, (_about, count) =>
    log.warn({ count }, 'operations were refused because of overload'),
  );
  const ended: ObserveOperation = ({ by }) => {
    if (by === 'overload') throttle.note('', undefined);
  };
  return { ended, reportCounted: throttle.reportCounted };
}

/** Logs the first WebSocket of each kind that was ended or failed; those of the next minute are counted in one line. */
export function createSocketLog(log: Logger, monotonic: Clock) {
  const throttle = createThrottle<SocketEvent>(monotonic, ({ event, error }, count) => {
    const reason = error instanceof Error ? error.message : undefined;
    log.warn({ event, reason, count }, 'a WebSocket was ended');
  });
  const note = (event: SocketEvent) => throttle.note(event.event, event);
  return { note, reportCounted: throttle.reportCounted };
}

/** Logs that requests were refused because of who sent them: once a minute per client, and for those without a key. */
export function createClientLog(log: Logger, monotonic: Clock) {
  const throttle = createThrottle<ClientRefusal>(monotonic, ({ reason, client }, count) =>
    log.warn({ reason, client, count }, 'requests were refused'),
  );
  const note = (refusal: ClientRefusal) => throttle.note(refusal.client ?? '', refusal);
  return { note, reportCounted: throttle.reportCounted };
}
