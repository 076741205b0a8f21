import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../../bounded-map.ts';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { contains, gaps } from '../../spans.ts';
import type { Span } from '../../time.ts';
import { DryRunStop, expectFollowUp } from '../../usage/estimate.ts';
import { changesByDay, daysCovered, exactAnswers } from './caches.ts';
import { type ExactQuestion, type Scope, scopeKey } from './keys.ts';
import { changesEndpoint } from './records.ts';

/**
 * Questions without a start. Each has an answer of its own, which also brings the latest days: while clients ask for it
 * anyway, ranges of these days need no request besides.
 */

const MAX_SCOPES = 1000;
/** How long a question counts as in use after it was last asked, in times to live (stretched as those of data). */
const IN_USE_TTLS = 2;

/** When the question was last asked, by scope; by the clock of times to live. */
const askedOf = createContextCache((_gateway: Gateway) =>
  createBoundedMap<string, number>(MAX_SCOPES),
);
/** The scopes that a dry run asks about, which must not count for other operations. */
const inDryRun = perOperation((_context: Context) => new Set<string>());

const questionOf = ({ institution, search }: Scope): ExactQuestion => ({
  institution,
  search,
  start: null,
  end: null,
  type: null,
  topic: null,
});

/** Notes that a client asks about a scope without a start. */
export function noteAskedWithoutStart(scope: Scope, context: Context): void {
  const { gateway, operation } = context;
  if (operation.estimate) inDryRun(context).add(scopeKey(scope));
  else askedOf(gateway).set(scopeKey(scope), gateway.governors.credits.now());
}

function isInUse(scope: Scope, context: Context): boolean {
  const { governors, settings } = context.gateway;
  const key = scopeKey(scope);
  const at = askedOf(context.gateway).get(key) ?? -Infinity;
  const inUseMs = IN_USE_TTLS * settings.ttl.legislation * governors.credits.stretch();
  return governors.credits.now() - at <= inUseMs || inDryRun(context).has(key);
}

/** Whether the days of a range that are missing were all among those that the last answer without a start covers. */
function coversMissing(scope: Scope, span: Span, { gateway, operation }: Context): boolean {
  const question = questionOf(scope);
  const last = exactAnswers.cache(gateway).lastKnown(question)?.value;
  const moment = { now: gateway.now(), aging: gateway.governors.credits.now() };
  const covered = last && daysCovered(gateway, question, last, moment);
  const { fresh } = changesByDay.cache(gateway).coverageOf(scope, operation);
  return covered !== undefined && gaps(fresh, span).every((gap) => contains(covered, gap));
}

/**
 * Requests the answer without a start in place of a range, if clients ask for it and it brings the missing days; they
 * are cached once this resolves. Rejects only in a dry run, which cannot know what follows.
 */
export async function requestWithoutStart(
  scope: Scope,
  span: Span,
  context: Context,
): Promise<void> {
  const { operation, resources } = context;
  await whenFieldsBegun(resources);
  if (!isInUse(scope, context) || !coversMissing(scope, span, context)) return;
  try {
    await exactAnswers.load(questionOf(scope), context);
  } catch (error) {
    if (!(error instanceof DryRunStop)) return;
    expectFollowUp(operation, changesEndpoint, 'legislation by day', scopeKey(scope));
    throw error;
  }
}
