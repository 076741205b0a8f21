import type { Held } from '../../cache/snapshot.ts';
import { type Gateway, today } from '../../graph/context.ts';
import { dayAt } from '../../time.ts';
import type { ExactQuestion } from './keys.ts';

/** Answers of earlier days to questions that end today. */

type Find<V> = (question: ExactQuestion) => Held<V> | undefined;

/** How many days back an answer to the same question is looked for. */
const MAX_DAYS_BACK = 31;

/**
 * Finds the last answer to a question up to today that was asked on an earlier day, and so ended that day: its key is
 * another one, but it is what a new answer replaces.
 */
export function answerOfEarlierDay<V>(gateway: Gateway) {
  return (question: ExactQuestion, cachedFor: Find<V>): Held<V> | undefined => {
    const { end } = question;
    if (end === null || end !== today(gateway)) return undefined;
    for (let day = end - 1; day >= end - MAX_DAYS_BACK; day -= 1) {
      const known = cachedFor({ ...question, end: day });
      // An answer that came later says nothing of the days between.
      if (known && dayAt(known.origin.retrievedAt, gateway.settings.timezone) <= day) return known;
    }
    return undefined;
  };
}
