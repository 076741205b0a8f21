import { createContextCache } from '@pothos/core';
import { LRUCache } from 'lru-cache';
import type { Fetched } from '../../cache/cached.ts';
import { contains } from '../../cache/spans.ts';
import { type Gateway, today } from '../../graph/context.ts';
import { defineDayRange, defineSnapshot, fetched, freshByAge } from '../../graph/dataset.ts';
import { type Day, formatDay, type Span } from '../../time.ts';
import { type Answer, mapRecords, type Target } from '../../upstream/endpoint.ts';
import type { Operation, Warning } from '../../usage/operation.ts';
import { changeOf, changesEndpoint, type LegislationChangeShape } from './records.ts';

/** What only the upstream can filter by. */
export interface Scope {
  institution: string | null;
  search: string | null;
}

/** A question as the upstream takes it; null leaves the parameter out. */
export interface ExactQuestion extends Scope {
  start: Day | null;
  end: Day | null;
  /** The upstream's word for the kind of instrument. */
  type: string | null;
  topic: string | null;
}

/** The upstream's answer to just that question. */
export interface ExactAnswer {
  records: readonly LegislationChangeShape[];
  /** How many records match. */
  total: number;
  /** Whether that is more than were returned. */
  cutShort: boolean;
}

export const scopeKey = ({ institution, search }: Scope) => JSON.stringify([institution, search]);
export const exactKey = ({ start, end, type, topic, ...scope }: ExactQuestion) =>
  JSON.stringify([start, end, type, topic, scope.institution, scope.search]);

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

/** Requests are widened to three months: most questions lie within them. */
const PREFETCH_DAYS = 92;
/** Scopes whose answers are remembered as cut short. */
const MAX_CUTS = 1000;

/** What is known of answers that were cut short: the upstream had more records than it sent. */
const cutsOf = createContextCache((_gateway: Gateway) => ({
  /** Whether there ever was one. */
  any: false,
  /** The last one of each scope, until it is worth asking again (on the monotonic clock). */
  byScope: new LRUCache<string, { span: Span; until: number }>({ max: MAX_CUTS }),
}));

/** Answers by publication date: one credit whatever the range, and the rest is filtered here. */
export const changesByDay = defineDayRange<Scope, LegislationChangeShape>((gateway) => ({
  keyOf: scopeKey,
  dayOf: ({ day }) => day,
  freshFor: freshByAge(gateway, gateway.settings.ttl.legislation),
  prefetch: ({ search }, asked) =>
    search === null
      ? { start: Math.min(today(gateway) - PREFETCH_DAYS, asked.start), end: today(gateway) }
      : undefined,
  async fetch(scope, span, operation) {
    const question = () => ({ ...scope, ...span(), type: null, topic: null });
    const answer = await fetchAnswer(gateway, question, operation);
    if (answer.cutShort) noteCut(gateway, question(), answer);
    return answer;
  },
}));

/**
 * Answers to exact questions, for what cannot be answered by day: questions without a start (the spec
 * does not say what the upstream returns then), and ranges whose answers are cut short.
 */
export const exactAnswers = defineSnapshot<ExactQuestion, ExactAnswer>((gateway) => ({
  ttl: gateway.settings.ttl.legislation,
  keyOf: exactKey,
  async fetch(question, operation) {
    const answer = await fetchAnswer(gateway, () => question, operation);
    if (question.type === null && question.topic === null) fileDays(gateway, question, answer);
    return exactAnswerOf(answer);
  },
}));

/** Whether any answer has been cut short since the start. */
export const wasAnyCut = (gateway: Gateway): boolean => cutsOf(gateway).any;

/** Whether a range is known to be cut short: asking for it by day would be a credit for nothing. */
export function isKnownCut(gateway: Gateway, scope: Scope, span: Span): boolean {
  const known = cutsOf(gateway).byScope.get(scopeKey(scope));
  return known !== undefined && gateway.monotonic() < known.until && contains(span, known.span);
}

async function fetchAnswer(gateway: Gateway, question: () => ExactQuestion, operation: Operation) {
  const target = () => targetOf(question());
  const answer = await gateway.client.fetch(changesEndpoint, target, operation);
  if (answer.cutShort) cutsOf(gateway).any = true;
  return mapRecords(changesEndpoint, answer, changeOf);
}

/** A range that was cut short is remembered, and its answer is good for whoever asks for just that. */
function noteCut(
  gateway: Gateway,
  question: ExactQuestion & Span,
  answer: Answer<LegislationChangeShape>,
): void {
  const { start, end } = question;
  const until = gateway.monotonic() + gateway.settings.ttl.legislation;
  cutsOf(gateway).byScope.set(scopeKey(question), { span: { start, end }, until });
  exactAnswers.cache(gateway).file(question, exactAnswerOf(answer));
}

/**
 * An answer that is filtered neither by type nor by topic also tells of its days: without a start of
 * those after its oldest record, whose own day may be incomplete; without an end up to today.
 */
function fileDays(
  gateway: Gateway,
  question: ExactQuestion,
  answer: Answer<LegislationChangeShape>,
): void {
  if (answer.cutShort || answer.records.length === 0) return;
  const oldest = answer.records.reduce((first, { day }) => Math.min(first, day), Infinity);
  const start = question.start ?? oldest + 1;
  const end = Math.min(question.end ?? Infinity, today(gateway));
  const records = answer.records.filter(({ day }) => day >= start && day <= end);
  if (start <= end)
    changesByDay.cache(gateway).file(question, { start, end }, { ...answer, records });
}

function exactAnswerOf(answer: Answer<LegislationChangeShape>): Fetched<ExactAnswer> {
  const { records, total, cutShort } = answer;
  const whole = fetched(answer, { records, total: total ?? records.length, cutShort });
  if (!cutShort) return whole;
  const message = `legislation: the upstream returned ${records.length} of ${total} records; ask for a shorter range`;
  const count = (total ?? 0) - records.length;
  const warning: Warning = { message, dataset: 'legislation', count };
  return { ...whole, warnings: [...whole.warnings, warning] };
}
