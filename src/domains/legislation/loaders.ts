import { type Cached, CutShort } from '../../cache/cached.ts';
import { type Context, todayFor } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import type { Day } from '../../time.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import {
  changesByDay,
  exactKey,
  type ExactQuestion,
  isKnownCut,
  type Scope,
  wasAnyCut,
  wholeAnswers,
} from './caches.ts';
import { LEGISLATION_TYPES, type LegislationChangeShape, type LegislationType } from './records.ts';

export interface Question extends Scope {
  start: Day | null;
  end: Day | null;
  types: readonly LegislationType[];
  topics: readonly string[];
}

/** All records that match, and maybe others: `types` and `topics` may still have to be filtered. */
export interface Changes {
  records: readonly LegislationChangeShape[];
  /** How many the upstream says there are; null where the records are all there are. */
  total: number | null;
}

/** One credit at most for all ranges and local filters of an operation. */
export function loadChanges(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { institution, search, start, end } = question;
  if (start === null || isKnown(question, context)) return loadExact(question, context);
  const key = { institution, search };
  const span = { start, end: end ?? Math.max(start, todayFor(context)) };
  if (isKnownCut(context.gateway, key, span)) return loadExact(question, context);
  const changes = whenReady(changesByDay.load(key, span, context), (found) => ({
    ...found,
    value: { records: found.value, total: null },
  }));
  if (!(changes instanceof Promise)) return changes;
  for (const one of Object.values(exactQuestions(question))) foreseeExact(one, context);
  return changes.catch((error: unknown) => {
    if (error instanceof CutShort) return loadExact(question, context);
    throw error;
  });
}

/** Whether the upstream's answer to just this question is cached and fresh. */
function isKnown(question: Question, { gateway }: Context): boolean {
  return wholeAnswers.cache(gateway).isFresh(exactQuestions(question).whole);
}

/**
 * One whole answer. Where that is cut short, the upstream itself is asked to filter, as far as it
 * can: with one type and one topic.
 */
function loadExact(question: Question, context: Context): Maybe<Cached<Changes>> {
  const { types, topics } = question;
  const { whole, narrow } = exactQuestions(question);
  const load = (one: ExactQuestion) => wholeAnswers.load(one, context);
  const isCut = wholeAnswers.cache(context.gateway).lastKnown(whole)?.value.cutShort;
  const first = load(isCut ? narrow : whole);
  if (first instanceof Promise && !isCut && exactKey(narrow) !== exactKey(whole))
    foreseeExact(narrow, context);
  const answer = whenReady(first, (found) =>
    !isCut && found.value.cutShort ? load(narrow) : found,
  );
  const isAllUpstream = types.length <= 1 && types[0] !== 'OTHER' && topics.length <= 1;
  return whenReady(answer, (found) =>
    isAllUpstream ? found : { ...found, value: { ...found.value, total: null } },
  );
}

/** The upstream's whole answer, and the one that it can narrow down itself. */
function exactQuestions({ types, topics, ...rest }: Question) {
  const [type] = types;
  const narrow = {
    type: types.length === 1 && type && type !== 'OTHER' ? LEGISLATION_TYPES[type] : null,
    topic: topics.length === 1 ? (topics[0] ?? null) : null,
  };
  return { whole: { ...rest, type: null, topic: null }, narrow: { ...rest, ...narrow } };
}

/** Asked for only where the answer before it is cut short: not expected where none ever was. */
function foreseeExact(question: ExactQuestion, { gateway, operation }: Context): void {
  if (!wasAnyCut(gateway)) return;
  expectFollowUp(operation, 'legislation answers', exactKey(question), { meter: 'credits' });
}
