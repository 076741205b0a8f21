import type { z } from 'zod';
import { type Clock, parseInstant } from '../time.ts';
import type { Warning } from '../usage/operation.ts';
import type { Envelope } from './dialect.ts';
import type { Answer, Endpoint } from './endpoint.ts';

/** Makes an answer of an envelope: records that do not validate are left out and reported. */
export function readAnswer<Raw>(
  endpoint: Endpoint<Raw>,
  envelope: Envelope,
  about: { bytes: number; now: Clock; timezone: string },
): Answer<Raw> {
  const retrievedAt = about.now();
  const timestamp = instantOrNull(envelope.timestamp, about.timezone);
  const asOf = instantOrNull(envelope.asOf, about.timezone) ?? timestamp;
  const total = countOrNull(envelope.total);
  return {
    ...readRecords(endpoint, envelope.data),
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

/** A number stated beside the data; what makes no sense is not stated. */
export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function instantOrNull(text: string | null | undefined, timezone: string): string | null {
  return text ? (parseInstant(text, timezone) ?? null) : null;
}

function readRecords<Raw>(
  { name, record, label }: Endpoint<Raw>,
  data: unknown[],
): Pick<Answer<Raw>, 'records' | 'warnings'> {
  const records: Raw[] = [];
  const dropped: string[] = [];
  data.forEach((value, index) => {
    if (record.validate(value)) records.push(value);
    else dropped.push(describeDropped(value, index, label, record.safeParse(value).error));
  });
  return { records, warnings: dropped.length > 0 ? [droppedWarning(name, dropped)] : [] };
}

function describeDropped(value: unknown, index: number, label: string, error?: z.ZodError): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const name = fields.find(([field]) => field === label)?.[1];
  const issue = error?.issues[0];
  const known = typeof name === 'string' ? ` (${name.slice(0, 60)})` : '';
  return `data[${index}]${known}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
}

const NAMED_AT_MOST = 5;

function droppedWarning(dataset: string, dropped: string[]): Warning {
  const named = dropped.slice(0, NAMED_AT_MOST).join('; ');
  const rest = dropped.length > NAMED_AT_MOST ? `; and ${dropped.length - NAMED_AT_MOST} more` : '';
  const message = `${dataset}: ${dropped.length} record(s) did not validate and were left out: ${named}${rest}`;
  return { message, dataset, count: dropped.length };
}
