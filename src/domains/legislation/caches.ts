import { createContextCache } from '@pothos/core';
import { LRUCache } from 'lru-cache';
import { contains } from '../../cache/plan.ts';
import { type Gateway, today } from '../../graph/context.ts';
import { expiryOf, openDayRange, openSnapshot, taken } from '../../graph/dataset.ts';
import { type Day, formatDay, type Span } from '../../time.ts';
import { type Answer, shaped, type Target } from '../../upstream/endpoint.ts';
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

/** One whole answer. */
export interface ExactAnswer {
  records: readonly LegislationChangeShape[];
  total: number;
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

/** How far back a request grows on its own: whoever asks for three months is answered. */
const WISH_DAYS = 92;
/** Scopes whose answers are remembered as cut short. */
const MAX_CUTS = 1000;

/**
 * Answers by day, and whole answers for what cannot be answered by day: questions without a start
 * (the spec does not say what the upstream returns then) and ranges whose answers are cut short.
 */
export const legislationCaches = createContextCache((gateway: Gateway) => {
  const { ttl } = gateway.settings;
  const expiry = expiryOf(gateway, ttl.legislation);
  const cuts = new LRUCache<string, { span: Span; until: number }>({ max: MAX_CUTS });
  let hasCut = false;

  async function fetch(question: () => ExactQuestion, operation: Operation) {
    const target = () => targetOf(question());
    const answer = await gateway.client.fetch(changesEndpoint, target, operation);
    hasCut ||= answer.cutShort;
    return shaped(answer, changeOf);
  }

  const exact = openSnapshot<ExactQuestion, ExactAnswer>(gateway, 'legislation answers', {
    ttl: ttl.legislation,
    keyOf: exactKey,
    async fetch(question, operation) {
      const answer = await fetch(() => question, operation);
      if (question.type === null && question.topic === null) fileDays(question, answer);
      return wholeAnswer(answer);
    },
  });

  const days = openDayRange<Scope, LegislationChangeShape>(gateway, 'legislation', {
    keyOf: scopeKey,
    dayOf: ({ day }) => day,
    expiresAt: expiry,
    wish: ({ search }, asked) =>
      search === null
        ? { start: Math.min(today(gateway) - WISH_DAYS, asked.start), end: today(gateway) }
        : undefined,
    async ask(scope, span, operation) {
      const question = () => ({ ...scope, ...span(), type: null, topic: null });
      const answer = await fetch(question, operation);
      if (answer.cutShort) noteCut(question(), answer);
      return answer;
    },
  });

  /**
   * A whole answer is good for the days that were asked for: without a start, for those after its
   * oldest, which may be incomplete; without an end, up to today.
   */
  function fileDays(question: ExactQuestion, answer: Answer<LegislationChangeShape>): void {
    if (answer.cutShort || answer.records.length === 0) return;
    const oldest = answer.records.reduce((first, { day }) => Math.min(first, day), Infinity);
    const start = question.start ?? oldest + 1;
    const end = Math.min(question.end ?? Infinity, today(gateway));
    const records = answer.records.filter(({ day }) => day >= start && day <= end);
    if (start <= end) days.file(question, { start, end }, { ...answer, records });
  }

  function noteCut(question: ExactQuestion & Span, answer: Answer<LegislationChangeShape>): void {
    const until = gateway.now() + ttl.legislation;
    cuts.set(scopeKey(question), { span: { start: question.start, end: question.end }, until });
    exact.file(question, wholeAnswer(answer));
  }

  return {
    exact,
    days,
    /** Whether any answer was ever cut short. */
    hasCut: () => hasCut,
    /** Whether a range is known to be cut short: asking it by day would be a unit for nothing. */
    isCut(scope: Scope, span: Span): boolean {
      const known = cuts.get(scopeKey(scope));
      return known !== undefined && gateway.now() < known.until && contains(span, known.span);
    },
  };
});

function wholeAnswer(answer: Answer<LegislationChangeShape>) {
  const { records, total, cutShort } = answer;
  const whole = taken(answer, { records, total: total ?? records.length, cutShort });
  if (!cutShort) return whole;
  const message = `legislation: the upstream returned ${records.length} of ${total} records; ask for a shorter range`;
  const warning: Warning = {
    message,
    dataset: 'legislation',
    count: (total ?? 0) - records.length,
  };
  return { ...whole, warnings: [...whole.warnings, warning] };
}
