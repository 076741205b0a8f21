import type { Fetched } from '../../cache/cached.ts';
import { type Gateway, today } from '../../graph/context.ts';
import { defineDayRange, defineSnapshot } from '../../graph/dataset.ts';
import { fetched, beginsIn, freshByAge, widened } from '../../graph/freshness.ts';
import { type Moment, storedKeyOf } from '../../cache/requests.ts';
import type { AskedSpan } from '../../shared/shared.ts';
import { type Day, dayAt, formatDay, type Span } from '../../time.ts';
import { type Answer, mapRecords, type Target } from '../../upstream/endpoint.ts';
import type { Warning } from '../../usage/operation.ts';
import { forgetCut, isKnownCut, noteAnyCut, noteCutRange } from './cuts.ts';
import { answerOfEarlierDay } from './earlier-days.ts';
import {
  parseExactKey,
  exactKey,
  type ExactQuestion,
  isUnfiltered,
  parseScopeKey,
  scopeKey,
} from './keys.ts';
import {
  changeOf,
  changesEndpoint,
  type LegislationChangeShape,
  type LegislationRecord,
} from './records.ts';

/** Asks for changes of any type and topic. */
const ANY = { type: null, topic: null };

/** The upstream's answer to one exact question. */
export interface ExactAnswer {
  records: readonly LegislationChangeShape[];
  /** How many records match. */
  total: number;
  /** The warning that more records match than were returned; undefined if the answer is complete. */
  cut: Warning | undefined;
}

function targetOf({ start, end, type, topic, institution, search }: ExactQuestion): Target {
  const date = (day: Day | null) => (day === null ? undefined : formatDay(day));
  return {
    path: ['legislation', 'changes'],
    query: {
      start: date(start),
      end: date(end),
      type: type ?? undefined,
      topic: topic ?? undefined,
      institution: institution ?? undefined,
      q: search ?? undefined,
    },
  };
}

/** How far back requests are widened, in days, also those with a search text: most questions lie within a year. */
const PREFETCH_DAYS = 366;
/** The longest usual time in which nothing is published, in days: holidays. */
const MAX_EMPTY_DAYS = 10;
const BY_DAY = { name: 'legislation by day', keyOf: scopeKey };

/** Answers by publication date: one credit whatever the range; the gateway applies all filters outside the scope. */
export const changesByDay = defineDayRange((gateway: Gateway) => ({
  ...BY_DAY,
  parseKey: parseScopeKey,
  endpoint: changesEndpoint,
  dayOf: ({ day }) => day,
  freshFor: freshByAge(gateway, gateway.settings.ttl.legislation),
  beginsIn: beginsIn(gateway),
  // A filter may leave nothing, however many days are asked for.
  maxEmptyDays: (scope) => (isUnfiltered(scope) ? MAX_EMPTY_DAYS : Infinity),
  prefetch: (_scope, asked) => widened(asked, today(gateway), { back: PREFETCH_DAYS }),
  isKnownCut: (scope, span) => isKnownCut(gateway, scope, span),
  target: (scope, span) => targetOf({ ...ANY, ...scope, ...span }),
  read: readChanges,
  onAnswer(answer, scope, span, at) {
    if (answer.cutShort) noteCut(gateway, { ...ANY, ...scope, ...span }, answer, at);
  },
}));

/**
 * Answers to exact questions, for what cannot be answered by day: questions without a start (the spec
 * does not say what the upstream returns then), and ranges whose answers are cut short.
 */
export const exactAnswers = defineSnapshot((gateway: Gateway) => ({
  name: 'legislation answers',
  ttl: gateway.settings.ttl.legislation,
  endpoint: changesEndpoint,
  keyOf: exactKey,
  parseKey: parseExactKey,
  earlier: answerOfEarlierDay<ExactAnswer>(gateway),
  isEmpty: ({ records }) => records.length === 0,
  target: targetOf,
  read: (answer): Fetched<ExactAnswer> => exactAnswerOf(readChanges(answer)),
  onAnswer({ value, ...answer }, question, _asked, at) {
    if (value.cut) noteAnyCut(gateway);
    const days = daysCovered(gateway, question, value, at);
    if (!days) return;
    forgetCut(gateway, question, days);
    const records = value.records.filter(({ day }) => day >= days.start && day <= days.end);
    const bytes = (answer.bytes * records.length) / value.records.length;
    const isProvisional = records.length === 0;
    const counted = { records, received: records.length, bytes };
    const ofDays = { ...answer, ...counted, cutShort: false, total: null, isProvisional };
    changesByDay.cache(gateway).file(question, days, ofDays, at);
  },
  alsoAnswers({ value }, question, at) {
    const days = daysCovered(gateway, question, value, at);
    return days && { key: storedKeyOf(BY_DAY, question), asked: days };
  },
}));

const readChanges = (answer: Answer<LegislationRecord>): Answer<LegislationChangeShape> =>
  mapRecords(changesEndpoint, answer, { shape: changeOf, keyOf: ({ id }) => id });

/** Remembers a range whose answer was cut short, and caches the answer for clients that ask for exactly this range. */
function noteCut(
  gateway: Gateway,
  question: ExactQuestion & Span,
  answer: Answer<LegislationChangeShape>,
  at: Moment,
): void {
  noteCutRange(gateway, question, at.aging);
  exactAnswers.cache(gateway).file(question, exactAnswerOf(answer), at);
}

/**
 * Returns the days that an answer covers; undefined if it is filtered by type or topic, cut short or empty. They end at
 * the latest on the day it came. Without a start, they go as far back as its records lie close together, and are
 * provisional.
 */
export function daysCovered(
  { settings }: Gateway,
  { type, topic, start, end }: ExactQuestion,
  { records, cut }: ExactAnswer,
  at: Moment,
): AskedSpan | undefined {
  if (type !== null || topic !== null || cut || records.length === 0) return undefined;
  const last = Math.min(end ?? Infinity, dayAt(at.now, settings.timezone));
  const covered = {
    start: start ?? firstDense(records, last),
    end: last,
    isProvisional: start === null,
  };
  return covered.start <= covered.end ? covered : undefined;
}

/** Maximum gap, in days, between two records of an answer for it to be taken as complete in between. */
const MAX_GAP_DAYS = 31;

/**
 * Returns the first day that an answer without a start is assumed to cover, up to `last`. A record that is dated long
 * before all others (amended recently, or misdated) does not show that nothing was published in between.
 */
function firstDense(records: ExactAnswer['records'], last: Day): Day {
  let oldest = last + 1;
  for (const day of records.map((record) => record.day).toSorted((a, b) => b - a)) {
    if (oldest - day > MAX_GAP_DAYS) break;
    oldest = Math.min(oldest, day);
  }
  // The oldest day itself may be incomplete.
  return Math.max(oldest + 1, last - PREFETCH_DAYS + 1);
}

function exactAnswerOf(answer: Answer<LegislationChangeShape>): Fetched<ExactAnswer> {
  const { records, total, cutShort } = answer;
  const { length } = records;
  // For a complete answer, only the records that can be shown are counted.
  if (!cutShort || total === null)
    return fetched(answer, { records, total: length, cut: undefined });
  const message = `legislation: the upstream returned ${length} of ${total} records; ask for a shorter range`;
  const cut: Warning = { message, dataset: 'legislation', count: total - length };
  return fetched(answer, { records, total, cut });
}
