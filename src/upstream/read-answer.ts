import type { z } from 'zod';
import { fieldOf, isInt, textOrNull } from '../json.ts';
import { type Clock, parseInstant } from '../time.ts';
import type { Warning } from '../usage/operation.ts';
import { DIALECTS, type Envelope } from './dialects.ts';
import type { Answer, AnswerText, Endpoint, Origin } from './endpoint.ts';
import { MarketError } from './errors.ts';
import { countOrNull, readOutcome } from './outcome.ts';

/** Reads the records of an answer. */

interface Reading {
  /** When the answer arrived. */
  now: Clock;
  timezone: string;
  /** Lets others run while a long answer is read. */
  pause: () => Promise<unknown>;
}

/**
 * Returns the answer in a text that arrived earlier, or at another process. Undefined if it cannot be read,
 * or is not an answer.
 */
export async function readAgain<Raw>(
  endpoint: Endpoint<Raw>,
  text: AnswerText,
  reading: Reading,
): Promise<Answer<Raw> | undefined> {
  const { result } = readOutcome(DIALECTS[endpoint.group], endpoint, text, Infinity);
  if (result instanceof MarketError) return undefined;
  return readAnswer(endpoint, result, text, reading);
}

/** Returns the answer in an envelope. Records that do not validate are left out and reported. */
export async function readAnswer<Raw>(
  endpoint: Endpoint<Raw>,
  envelope: Envelope,
  text: AnswerText,
  about: Reading,
): Promise<Answer<Raw>> {
  const origin = originOf(envelope, endpoint, about);
  const stated = endpoint.statesTotal ? countOrNull(envelope.total) : null;
  // A total that the schema's Int cannot hold is not a count of records.
  const total = isInt(stated) ? stated : null;
  return {
    ...(await readRecords(endpoint, envelope.data, about.pause)),
    received: envelope.data.length,
    origin,
    cutShort: total !== null && total > envelope.data.length,
    total,
    bytes: Buffer.byteLength(text.body),
    // A route that is missing for a moment looks like a request that nothing matches.
    isProvisional: envelope.isAbsent === true,
    isNotFound: text.status === 404 && !envelope.saysNoData,
  };
}

function originOf(
  envelope: Envelope,
  { source }: Endpoint<unknown>,
  { now, timezone }: Reading,
): Origin {
  const retrievedAt = now();
  // Read in the zone of the prices' `updatedAt`, if it states none: the two are compared.
  const timestamp = instantOrNull(envelope.timestamp, 'UTC');
  const asOf = instantOrNull(envelope.asOf, timezone) ?? timestamp;
  return {
    source: envelope.source ?? source,
    asOf: asOf ?? new Date(retrievedAt).toISOString(),
    license: textOrNull(envelope.license),
    upstreamCached: typeof envelope.cached === 'boolean' ? envelope.cached : null,
    retrievedAt,
    timezone: textOrNull(envelope.timezone),
    timestamp,
  };
}

function instantOrNull(value: unknown, timezone: string): string | null {
  return parseInstant(textOrNull(value) ?? '', timezone) ?? null;
}

/** How many records are checked before others may run: an answer may have hundreds of thousands. */
const RECORDS_AT_A_TIME = 2000;

async function readRecords<Raw>(
  endpoint: Endpoint<Raw>,
  data: readonly unknown[],
  pause: () => Promise<unknown>,
): Promise<Pick<Answer<Raw>, 'records' | 'warnings'>> {
  const checked: Checked<Raw> = { records: [], dropped: 0, described: [] };
  for (let start = 0; start < data.length; start += RECORDS_AT_A_TIME) {
    if (start > 0) await pause();
    checkRecords(endpoint, data, start, checked);
  }
  const { records, dropped, described } = checked;
  const warnings = dropped > 0 ? [droppedWarning(endpoint.name, dropped, described)] : [];
  return { records, warnings };
}

interface Checked<Raw> {
  records: Raw[];
  /** How many did not validate. */
  dropped: number;
  /** What is wrong with the first few of these: finding that out takes long. */
  described: string[];
}

function checkRecords<Raw>(
  { record, label }: Endpoint<Raw>,
  data: readonly unknown[],
  start: number,
  checked: Checked<Raw>,
): void {
  const end = Math.min(data.length, start + RECORDS_AT_A_TIME);
  for (let index = start; index < end; index += 1) {
    const value = data[index];
    if (record.validate(value)) {
      checked.records.push(value);
      continue;
    }
    checked.dropped += 1;
    if (checked.dropped > MAX_DESCRIBED) continue;
    const { error } = record.safeParse(value);
    checked.described.push(describeDropped(value, index, label, error));
  }
}

function describeDropped(value: unknown, index: number, label: string, error?: z.ZodError): string {
  const name = fieldOf(value, label);
  const issue = error?.issues[0];
  const known = typeof name === 'string' ? ` (${name.slice(0, 60)})` : '';
  return `data[${index}]${known}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
}

const MAX_DESCRIBED = 5;

function droppedWarning(dataset: string, count: number, described: readonly string[]): Warning {
  const rest = count > described.length ? `; and ${count - described.length} more` : '';
  const message = `${dataset}: ${count} record(s) did not validate and were left out: ${described.join('; ')}${rest}`;
  return { message, dataset, count };
}
