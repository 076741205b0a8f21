import { fieldOf, parseJson } from '../json.ts';
import { type Dialect, type Envelope, refusalWith } from './dialects.ts';
import type { AnswerText, Endpoint, Target } from './endpoint.ts';
import { FailedOnText, FreeRefusal, MarketError, UrlTooLong } from './errors.ts';
import type { Reply } from './http-client.ts';

/** What a reply cost, and whether it is an answer. Its records are read in read-answer.ts. */

/** What one request cost and brought, before its records are read. */
export interface Outcome {
  /**
   * Every answer is paid for; a refusal is free (section 8). Undefined: the reply cannot be read, so its cost is not
   * known and counts as what was expected, until a balance shows that it was not charged.
   */
  units: number | undefined;
  /** The stated cost, if it is too high to be believed. */
  implausibleUnits?: number | undefined;
  /** The balance, if the reply states it (section 2.4). */
  remaining: number | undefined;
  /** The reply that it was read from; its body is empty if none arrived. */
  text: AnswerText;
  result: Envelope | MarketError;
}

/** The status 204: nothing matches, as with a 404, but it is a success and so is paid for. */
const NO_CONTENT = 204;

const NOTHING: Envelope = { data: [], isAbsent: true };

type About = Pick<Endpoint<unknown>, 'meter' | 'emptyOn404'>;

/** Reads what a reply cost and brought. A stated cost above `maxUnits` is not believed: it counts as one unit. */
export function readOutcome(
  dialect: Dialect,
  about: About,
  { status, body }: Pick<Reply, 'status' | 'body'>,
  maxUnits: number,
): Outcome {
  const isPaid = status >= 200 && status < 300;
  const text = { status, body: typeof body === 'string' ? body : '' };
  // The status alone tells what a refusal means. Only a 404 needs its body, which shows whether the upstream sent it.
  if (typeof body !== 'string' && (isPaid || refusalWith(dialect, status) === 'NOT_FOUND'))
    return { units: isPaid ? undefined : 0, remaining: undefined, text, result: body };
  const json = parseJson(text.body);
  const statedUnits = (field: string) =>
    dialect.statesUnits ? (countOrNull(fieldOf(json, field)) ?? undefined) : undefined;
  const balance = statedUnits('creditsRemaining');
  const statedCost = statedUnits('creditsUsed');
  // A failure with status 200 is free, too, unless it states what it cost: then it is an answer that cannot be read.
  if (!isPaid || (fieldOf(json, 'success') === false && !statedCost)) {
    const remaining = balanceOfRefusal(dialect, status, balance);
    return { text, remaining, units: 0, result: readRefusal(dialect, about, text, json) };
  }
  const stated = { text, remaining: balance };
  const isEmpty = status === NO_CONTENT && about.emptyOn404;
  const result = isEmpty ? NOTHING : readEnvelope(dialect, json);
  const unstated = result instanceof MarketError ? undefined : 1;
  const cost = statedCost ?? unstated;
  if (cost === undefined || cost <= maxUnits) return { ...stated, units: cost, result };
  return { ...stated, units: 1, implausibleUnits: cost, result };
}

/**
 * Returns the balance that a refusal states, if it is believed. A refused key has no account, and a server that fails
 * may fill in a default. That nothing is left is believed of a refusal for that reason only; it is free, as all are.
 */
function balanceOfRefusal(dialect: Dialect, status: number, balance: number | undefined) {
  const refusal = refusalWith(dialect, status);
  const isUnknown = refusal === 'UPSTREAM_AUTHENTICATION' || status >= 500;
  const isDoubtful = balance === 0 && refusal !== 'INSUFFICIENT_CREDITS';
  return isUnknown || isDoubtful ? undefined : balance;
}

/**
 * Returns the milliseconds that a Retry-After header asks for. It holds seconds, or a date by the sender's clock, which
 * the Date header states: that may differ from this machine's, `now`.
 */
export function retryAfterMs(
  { 'retry-after': header, date }: Readonly<Record<string, unknown>>,
  now: number,
): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const seconds = Number(header);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
  const sentAt = typeof date === 'string' ? instantOf(date) : NaN;
  const ms = instantOf(header) - (Number.isNaN(sentAt) ? now : sentAt);
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Reads a date of HTTP. Its oldest form ends with the year and names no zone: all are UTC. */
const instantOf = (date: string) => Date.parse(/ \d{4}$/.test(date) ? `${date} GMT` : date);

function readEnvelope(dialect: Dialect, json: unknown): Envelope | MarketError {
  const { success, data } = dialect.envelope.safeParse(json);
  return success ? data : new MarketError('UPSTREAM_BAD_RESPONSE', { group: dialect.group });
}

/**
 * If nothing matches, that is an empty answer where the endpoint says so (section 7, no_data). All bodies of the
 * upstream are JSON: any other 404 page comes from a proxy in between, and says nothing about the data.
 */
function readRefusal(
  dialect: Dialect,
  { meter, emptyOn404 }: About,
  { status, body }: AnswerText,
  json: unknown,
): Envelope | MarketError {
  const refusal = refusalWith(dialect, status);
  const { group } = dialect;
  const isOfUpstream = body === '' || json !== undefined;
  if (refusal === 'NOT_FOUND')
    return emptyOn404 && isOfUpstream
      ? { ...NOTHING, ...(hasNoDataCode(json) && { saysNoData: true }) }
      : new FreeRefusal('UPSTREAM_BAD_RESPONSE', { group });
  if (refusal === 'QUOTA_EXCEEDED' || refusal === 'INSUFFICIENT_CREDITS')
    return new FreeRefusal(refusal, { group, meter });
  if (refusal === 'URL_TOO_LONG') return new UrlTooLong('BAD_USER_INPUT', { group });
  return new FreeRefusal(refusal, { group });
}

/** Whether the body of a 404 has the code for it, wherever it stands: the shape of group B's errors is not shown. */
function hasNoDataCode(json: unknown): boolean {
  const error = fieldOf(json, 'error');
  return [error, fieldOf(json, 'code'), fieldOf(error, 'code')].includes('no_data');
}

/** Returns an outcome's result as an answer to what was asked; an error if it is about something else. */
export function answerTo(
  target: Target,
  endpoint: Pick<Endpoint<unknown>, 'group' | 'route' | 'isAbout'>,
  { result, units, text }: Pick<Outcome, 'result' | 'units' | 'text'>,
): Envelope | MarketError {
  if (text.status === 500 && hasFreeInput(target))
    return new FailedOnText('UPSTREAM_UNAVAILABLE', { group: endpoint.group });
  if (result instanceof MarketError) return withParameterNames(result, endpoint, target);
  if (endpoint.isAbout?.(result, target) ?? true) return result;
  const Failure = units === 0 ? FreeRefusal : MarketError;
  return new Failure('UPSTREAM_BAD_RESPONSE', { group: endpoint.group });
}

/** Parameters that clients fill in freely: a server may fail on a text that it did not expect. */
const TEXTS = ['q', 'institution', 'topic', 'exchange'];
/** Tickers may consist of other characters, too, but hardly ever do. */
const ODD_TICKER = /[^\w.$,-]/;
/** Days far from any that has data: a server may be unable to compute with them, such as with those of the year 0. */
const ODD_DAY = /^(?!1[89]|2[01])/;

/** Whether a server may fail on something that only this client asks for. */
export const hasFreeInput = ({ query = {} }: Target): boolean =>
  TEXTS.some((name) => query[name] !== undefined) ||
  ODD_TICKER.test(query['symbols'] ?? '') ||
  ['start', 'end'].some((name) => ODD_DAY.test(query[name] ?? '2000'));

/** Adds the names of all parameters to a refusal of one: the upstream does not say which is wrong (section 7). */
function withParameterNames(
  refusal: MarketError,
  { group, route }: Pick<Endpoint<unknown>, 'group' | 'route'>,
  { query = {} }: Target,
): MarketError {
  if (refusal.code !== 'BAD_USER_INPUT') return refusal;
  const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inQuery = Object.keys(query).filter((name) => query[name] !== undefined);
  const names = [...inPath, ...inQuery].join(', ');
  const hint = inQuery.includes('start') ? ' (the range may be too long for it)' : '';
  const message = names
    ? `The upstream refused a parameter: ${names}${hint}`
    : 'The upstream refused the request as invalid, although it has no parameters';
  const Failure = refusal instanceof UrlTooLong ? UrlTooLong : FreeRefusal;
  return new Failure('BAD_USER_INPUT', { group, message });
}

/** Returns a count that is stated beside the data; one that makes no sense is treated as not stated. */
export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
