import { type Cached, CutShort } from '../../cache/cached.ts';
import { type Context, todayFor } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import type { Day } from '../../time.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { changesByDay, exactAnswers, isKnownCut, wasAnyCut } from './caches.ts';
import { exactKey, type ExactQuestion, type Scope } from './keys.ts';
import {
  changesEndpoint,
  LEGISLATION_TYPES,
  type LegislationChangeShape,
  type LegislationType,
} from './records.ts';

/** How a question about legislation is answered: by day if possible, else by one exact answer. */

/** What a client asks; a day is null where it is not given, and an empty list lets everything pass. */
export interface Question extends Scope {
  start: Day | null;
  end: Day | null;
  types: readonly LegislationType[];
  topics: readonly string[];
}

/** All records that match, and maybe others: `types` and `topics` may still have to be filtered. */
interface Changes {
  records: readonly LegislationChangeShape[];
  /** How many the upstream says there are; null where the records are all there are. */
  total: number | null;
}

/**
 * The changes that match. Mostly one credit for all ranges and local filters of an operation that begin on a day,
 * unless answers are cut short.
 */
export function loadChanges(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { institution, search, start, end } = question;
  if (start === null || isAnswered(question, context)) return loadExact(question, context);
  const key = { institution, search };
  const span = { start, end: end ?? Math.max(start, todayFor(context)) };
  if (isKnownCut(context.gateway, key, span)) return loadExact(question, context);
  const changes = whenReady(changesByDay.load(key, span, context), (found) => ({
    ...found,
    value: { records: found.value, total: null },
  }));
  if (!(changes instanceof Promise)) return changes;
  const { unfiltered, narrow } = exactQuestions(question);
  for (const one of [unfiltered, narrow]) foreseeExact(one, context);
  return changes.catch((error: unknown) => {
    if (error instanceof CutShort) return loadExact(question, context);
    throw error;
  });
}

/** Whether the upstream's answer to the question without type and topic is cached and fresh. */
function isAnswered(question: Question, { gateway, operation }: Context): boolean {
  return exactAnswers.cache(gateway).isFresh(exactQuestions(question).unfiltered, operation);
}

/**
 * One answer of the upstream to the whole question, of any type and topic. Where that is cut short, the
 * upstream itself is asked to filter, as far as it can: with one type and one topic.
 */
function loadExact(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { unfiltered } = exactQuestions(question);
  const isHere = isAnswered(question, context);
  // Another process may know that it was cut short.
  const caughtUp = isHere ? undefined : exactAnswers.cache(context.gateway).catchUp(unfiltered);
  return whenReady(caughtUp, () => loadWholeOrNarrow(question, context));
}

function loadWholeOrNarrow(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { types, topics } = question;
  const { unfiltered, narrow } = exactQuestions(question);
  const load = (one: ExactQuestion) => exactAnswers.load(one, context);
  const isCut = isCutLately(unfiltered, context) || isPartCut(unfiltered, context);
  const first = load(isCut ? narrow : unfiltered);
  if (first instanceof Promise && !isCut && exactKey(narrow) !== exactKey(unfiltered))
    foreseeExact(narrow, context);
  const answer = whenReady(first, (found) => (!isCut && found.value.cut ? load(narrow) : found));
  // Of several types or topics, or of OTHER, the upstream's total also counts what is filtered out here.
  const isTotalRight = types.length <= 1 && types[0] !== 'OTHER' && topics.length <= 1;
  return whenReady(answer, (found) => {
    const { cut } = found.value;
    if (cut) context.operation.warnings.add(cut);
    return isTotalRight ? found : { ...found, value: { ...found.value, total: null } };
  });
}

/** Whether the upstream's last answer was cut short, and came lately: what was cut long ago is asked for again. */
function isCutLately(question: ExactQuestion, { gateway }: Context): boolean {
  const last = exactAnswers.cache(gateway).lastKnown(question);
  if (!last?.value.cut) return false;
  return gateway.agings.credits.now() - last.at < gateway.settings.ttl.settledDays;
}

/** Whether the answer for some of the days was cut short: that for all of them would be, too. */
function isPartCut({ start, end, ...scope }: ExactQuestion, { gateway }: Context): boolean {
  return start !== null && end !== null && isKnownCut(gateway, scope, { start, end });
}

/** The question without type and topic, and with as much of them as the upstream can filter by. */
function exactQuestions({ types, topics, ...rest }: Question) {
  const [type] = types;
  const narrow = {
    type: types.length === 1 && type && type !== 'OTHER' ? LEGISLATION_TYPES[type] : null,
    topic: topics.length === 1 ? (topics[0] ?? null) : null,
  };
  return { unfiltered: { ...rest, type: null, topic: null }, narrow: { ...rest, ...narrow } };
}

/** For a dry run: a question that is asked if the answer before it is cut short, as some have been. */
function foreseeExact(question: ExactQuestion, { gateway, operation }: Context): void {
  if (wasAnyCut(gateway))
    expectFollowUp(operation, changesEndpoint, 'legislation answers', exactKey(question));
}
