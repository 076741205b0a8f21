import { alwaysAgain, type Cached, CutShort, serveStale } from '../../cache/cached.ts';
import { type Context, perOperation } from '../../graph/context.ts';
import type { Days } from '../../cache/segments.ts';
import { defineLateRanges } from '../../graph/late-ranges.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { gaps } from '../../spans.ts';
import type { Span } from '../../time.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { changesByDay, type ExactAnswer, exactAnswers } from './caches.ts';
import { isKnownCut, wasAnyCut } from './cuts.ts';
import {
  exactKey,
  type ExactQuestion,
  exactQuestions,
  type FilteredScope,
  type Question,
  type Scope,
} from './keys.ts';
import { changesEndpoint, type LegislationChangeShape } from './records.ts';
import { noteAskedWithoutStart, requestWithoutStart } from './without-start.ts';

/** How a question about legislation is answered: by day if possible, else by one exact answer. */

/** All records that match, and possibly others: the caller still has to filter by `types` and `topics`. */
interface Changes {
  records: readonly LegislationChangeShape[];
  /** How many records match, as the upstream states it; null if the records are complete or it counts others, too. */
  total: number | null;
}

const loaded = perOperation((_context: Context) => new Map<string, Maybe<Cached<Changes>>>());

/**
 * Loads the changes that match, once for each question of an operation. Usually costs one credit for all ranges of an
 * operation that have a start, whatever the local filters, unless answers are cut short.
 */
export function loadChanges(question: Question, context: Context): Maybe<Cached<Changes>> {
  const all = loaded(context);
  const id = JSON.stringify(question);
  const changes = all.get(id) ?? load(question, context);
  all.set(id, changes);
  return changes;
}

function load(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { institution, search, start, end } = question;
  const key = { institution, search };
  if (start === null && end === null) noteAskedWithoutStart(key, context);
  if (start === null || end === null) return loadExact(question, context);
  const span = { start, end };
  // Shorter ranges may have brought all days of a range whose own answer is cut short.
  const held = changesByDay.cache(context.gateway).read(key, span, context.operation);
  if (held) return complete(held);
  if (isAnswered(question, context) || isKnownCut(context.gateway, key, span))
    return loadExact(question, context);
  const changes = loadInTime(
    {
      key,
      span,
      loadAll: () => loadByDay(question, key, span, context),
      old: () => oldChanges(key, span, context),
      filtered: () => filteredBy(question, span, context),
    },
    context,
  );
  if (!(changes instanceof Promise)) return changes;
  return changes.catch((error: unknown) => {
    if (error instanceof CutShort) return loadExact(question, context);
    return oldExact(question, error, context);
  });
}

function loadByDay(question: Question, key: Scope, span: Span, context: Context) {
  const changes = requestWithoutStart(key, span, context)
    .then(() => changesByDay.load(key, span, context))
    .then(complete);
  for (const one of Object.values(exactQuestions(question))) foreseeExact(one, context);
  return changes;
}

const loadInTime = defineLateRanges(changesByDay);

function oldChanges(key: FilteredScope, span: Span, { gateway, operation }: Context) {
  const days = changesByDay.cache(gateway).oldDays(key, span, operation);
  return days && complete(days);
}

/** How the upstream filters a question by type and topic; undefined if it cannot. */
function filteredBy(question: Question, span: Span, context: Context) {
  const { gateway, operation } = context;
  const { unfiltered, narrow } = exactQuestions(question);
  if (exactKey(narrow) === exactKey(unfiltered)) return undefined;
  const { coverageOf, catchUp } = changesByDay.cache(gateway);
  const loadWhole = () =>
    whenReady(exactAnswers.load(narrow, context), (found) => changesIn(found, question, context));
  const isCut = () => isKnownCut(gateway, narrow, span);
  return {
    isFresh: () =>
      isCut()
        ? exactAnswers.cache(gateway).isFresh(narrow, operation)
        : gaps(coverageOf(narrow, operation).fresh, span).length === 0,
    load() {
      if (isCut()) return loadWhole();
      const changes = changesByDay.load(narrow, span, context);
      if (!(changes instanceof Promise)) return complete(changes);
      return changes.then(complete, (error: unknown) => {
        if (error instanceof CutShort) return loadWhole();
        throw error;
      });
    },
    old: () => whenReady(catchUp(narrow), () => oldChanges(narrow, span, context)),
  };
}

const complete = (found: Days<LegislationChangeShape>) => ({
  ...found,
  value: { records: found.value, total: null },
});

/** Whether the upstream's answer that counts is cached and fresh: that to the whole question, unless it is cut short. */
function isAnswered(question: Question, context: Context): boolean {
  const { unfiltered, narrow } = exactQuestions(question);
  const isFresh = (one: ExactQuestion) =>
    exactAnswers.cache(context.gateway).isFresh(one, context.operation);
  return isFresh(unfiltered) || (wasCutRecently(unfiltered, context) && isFresh(narrow));
}

/**
 * Loads the upstream's answer to the whole question, with any type and topic. If that is cut short, the upstream itself
 * is asked to filter as far as it can: by one type and one topic.
 */
function loadExact(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { unfiltered } = exactQuestions(question);
  const isFresh = isAnswered(question, context);
  // Another process may have stored an answer that was cut short.
  const caughtUp = isFresh ? undefined : exactAnswers.cache(context.gateway).catchUp(unfiltered);
  return whenReady(caughtUp, () => loadWholeOrNarrow(question, context));
}

function loadWholeOrNarrow(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { unfiltered, narrow } = exactQuestions(question);
  const loadOne = (one: ExactQuestion) => exactAnswers.load(one, context);
  const isCut = wasCutRecently(unfiltered, context) || isPartCut(unfiltered, context);
  const first = loadOne(isCut ? narrow : unfiltered);
  if (first instanceof Promise && !isCut && exactKey(narrow) !== exactKey(unfiltered))
    foreseeExact(narrow, context);
  const answer = whenReady(first, (found) => (!isCut && found.value.cut ? loadOne(narrow) : found));
  return whenReady(answer, (found) => changesIn(found, question, context));
}

/**
 * Returns the last answer to the whole question, marked stale. Throws the error if there is none. It may have been
 * stored by another process, or before more answers than a start reads.
 */
async function oldExact(
  question: Question,
  error: unknown,
  context: Context,
): Promise<Cached<Changes>> {
  const { unfiltered, narrow } = exactQuestions(question);
  const { catchUp, lastKnown } = exactAnswers.cache(context.gateway);
  await Promise.all([narrow, unfiltered].map(catchUp));
  const old = serveStale(lastKnown(narrow) ?? lastKnown(unfiltered), error, context.operation);
  return changesIn(old, question, context);
}

/** Returns what an exact answer says of a question, with a warning if it was cut short. */
function changesIn(
  answer: Cached<ExactAnswer>,
  { types, topics }: Question,
  { operation }: Context,
): Cached<Changes> {
  const { cut } = answer.value;
  if (cut) {
    operation.warnings.add(cut);
    // Shorter ranges may bring the rest of its days.
    operation.parts.add(alwaysAgain);
  }
  // With several types or topics, or with OTHER, the upstream's total also counts records that are filtered out here.
  const isTotalRight = types.length <= 1 && types[0] !== 'OTHER' && topics.length <= 1;
  return isTotalRight ? answer : { ...answer, value: { ...answer.value, total: null } };
}

/** Whether the last answer was cut short and came within `ttl.settledDays`: after that the question is asked again. */
function wasCutRecently(question: ExactQuestion, { gateway }: Context): boolean {
  const last = exactAnswers.cache(gateway).lastKnown(question);
  if (!last?.value.cut) return false;
  return gateway.governors.credits.now() - last.at < gateway.settings.ttl.settledDays;
}

/** Whether the answer about a part of the range was cut short: that about all of it would be, too. */
function isPartCut({ start, end, ...scope }: ExactQuestion, { gateway }: Context): boolean {
  return start !== null && end !== null && isKnownCut(gateway, scope, { start, end });
}

/** Tells a dry run that a question may follow, if the answer before it is cut short and that has happened before. */
function foreseeExact(question: ExactQuestion, { gateway, operation }: Context): void {
  if (wasAnyCut(gateway))
    expectFollowUp(operation, changesEndpoint, 'legislation answers', exactKey(question));
}
