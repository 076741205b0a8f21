import type { z } from 'zod';
import { parseJson } from '../json.ts';
import { type Clock, parseInstant } from '../time.ts';
import type { Warning } from '../usage/operation.ts';
import { type Dialect, type Envelope, refusalOf } from './dialects.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { MarketError } from './errors.ts';
import type { Reply } from './transport.ts';

/** How a reply is read: first what it cost and whether it is an answer, then its records. */

/** What one request cost and brought, before its records are looked at. */
export interface Outcome {
  /** Every answer is paid, even one that cannot be read; a refusal is free (section 8). */
  units: number;
  /** The cost that was stated, where it is too high to be believed. */
  implausibleUnits?: number | undefined;
  /** The balance, where the reply states it (section 2.4). */
  remaining: number | undefined;
  /** The size of the body. */
  bytes: number;
  result: Envelope | MarketError;
}

type About = Pick<Endpoint<unknown>, 'meter' | 'emptyOn404'>;

/** A stated cost above `maxUnits` is not believed: the answer then costs one unit, as the spec says. */
export function readOutcome(
  dialect: Dialect,
  about: About,
  { status, body }: Reply,
  maxUnits: number,
): Outcome {
  const isPaid = status >= 200 && status < 300;
  if (typeof body !== 'string')
    return { units: isPaid ? 1 : 0, remaining: undefined, bytes: 0, result: body };
  const json = parseJson(body);
  const stated = { bytes: body.length, remaining: statedNumber(json, 'creditsRemaining') };
  if (!isPaid || isRefusal(json))
    return { ...stated, units: 0, result: readRefusal(dialect, about, status) };
  const cost = statedNumber(json, 'creditsUsed') ?? 1;
  const isPlausible = cost <= maxUnits;
  return {
    ...stated,
    units: isPlausible ? cost : 1,
    implausibleUnits: isPlausible ? undefined : cost,
    result: readEnvelope(dialect, json),
  };
}

/** A Retry-After header in milliseconds: seconds, or a date of the wall clock. */
export function retryAfterMs(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readEnvelope(dialect: Dialect, json: unknown): Envelope | MarketError {
  const { success, data } = dialect.envelope.safeParse(json);
  return success ? data : new MarketError('UPSTREAM_BAD_RESPONSE', { group: dialect.group });
}

/** Nothing that matches is an empty answer, where the endpoint says so (section 7, no_data). */
function readRefusal(
  dialect: Dialect,
  { meter, emptyOn404 }: About,
  status: number,
): Envelope | MarketError {
  const refusal = refusalOf(dialect, status);
  const { group } = dialect;
  if (refusal === 'NOT_FOUND')
    return emptyOn404 ? { data: [] } : new MarketError('UPSTREAM_BAD_RESPONSE', { group });
  if (refusal === 'QUOTA_EXCEEDED' || refusal === 'INSUFFICIENT_CREDITS')
    return new MarketError(refusal, { group, meter });
  const message = refusal === 'BAD_USER_INPUT' ? 'The upstream refused a parameter' : undefined;
  return new MarketError(refusal, { group, ...(message && { message }) });
}

function isRefusal(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'success' in json && json.success === false;
}

function statedNumber(json: unknown, field: string): number | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const value: unknown = Object.entries(json).find(([name]) => name === field)?.[1];
  return countOrNull(value) ?? undefined;
}

/**
 * Checks the records of an envelope: those that do not validate are left out and reported. `pause`
 * lets others run while a long answer is read.
 */
export async function readAnswer<Raw>(
  endpoint: Endpoint<Raw>,
  envelope: Envelope,
  about: { bytes: number; now: Clock; timezone: string; pause: () => Promise<unknown> },
): Promise<Answer<Raw>> {
  const retrievedAt = about.now();
  const timestamp = instantOrNull(envelope.timestamp, about.timezone);
  const asOf = instantOrNull(envelope.asOf, about.timezone) ?? timestamp;
  const total = countOrNull(envelope.total);
  return {
    ...(await readRecords(endpoint, envelope.data, about.pause)),
    origin: {
      source: envelope.source ?? endpoint.source,
      asOf: asOf ?? new Date(retrievedAt).toISOString(),
      license: envelope.license ?? null,
      upstreamCached: envelope.cached ?? null,
      retrievedAt,
      timezone: envelope.timezone ?? null,
      timestamp,
    },
    cutShort: total !== null && total > envelope.data.length,
    total,
    bytes: about.bytes,
  };
}

/** A number stated beside the data; one that makes no sense counts as not stated. */
function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function instantOrNull(text: string | null | undefined, timezone: string): string | null {
  return text ? (parseInstant(text, timezone) ?? null) : null;
}

/** So many records are checked at a stretch: an answer may have hundreds of thousands. */
const AT_A_STRETCH = 2000;

async function readRecords<Raw>(
  endpoint: Endpoint<Raw>,
  data: readonly unknown[],
  pause: () => Promise<unknown>,
): Promise<Pick<Answer<Raw>, 'records' | 'warnings'>> {
  const checked: Checked<Raw> = { records: [], dropped: 0, described: [] };
  for (let start = 0; start < data.length; start += AT_A_STRETCH) {
    if (start > 0) await pause();
    checkRecords(endpoint, data, start, checked);
  }
  const { records, dropped, described } = checked;
  const warnings = dropped > 0 ? [droppedWarning(endpoint.name, dropped, described)] : [];
  return { records, warnings };
}

interface Checked<Raw> {
  records: Raw[];
  /** How many did not validate, and what is wrong with the first of them: to find that takes long. */
  dropped: number;
  described: string[];
}

function checkRecords<Raw>(
  { record, label }: Endpoint<Raw>,
  data: readonly unknown[],
  start: number,
  checked: Checked<Raw>,
): void {
  const end = Math.min(data.length, start + AT_A_STRETCH);
  for (let index = start; index < end; index += 1) {
    const value = data[index];
    if (record.validate(value)) {
      checked.records.push(value);
      continue;
    }
    checked.dropped += 1;
    if (checked.dropped > NAMED_AT_MOST) continue;
    const { error } = record.safeParse(value);
    checked.described.push(describeDropped(value, index, label, error));
  }
}

function describeDropped(value: unknown, index: number, label: string, error?: z.ZodError): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const name = fields.find(([field]) => field === label)?.[1];
  const issue = error?.issues[0];
  const known = typeof name === 'string' ? ` (${name.slice(0, 60)})` : '';
  return `data[${index}]${known}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
}

const NAMED_AT_MOST = 5;

function droppedWarning(dataset: string, count: number, described: readonly string[]): Warning {
  const rest = count > described.length ? `; and ${count - described.length} more` : '';
  const message = `${dataset}: ${count} record(s) did not validate and were left out: ${described.join('; ')}${rest}`;
  return { message, dataset, count };
}
