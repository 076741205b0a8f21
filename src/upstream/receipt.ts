import { parseJson } from '../json.ts';
import { type Dialect, type Envelope, refusalOf } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import { MarketError } from './errors.ts';
import { countOrNull } from './read-answer.ts';
import type { Reply } from './transport.ts';

/** What one reply cost and holds, before its records are looked at. */
export interface Receipt {
  /** Units. Every answer is paid, even one that cannot be read; a refusal is free (section 8). */
  cost: number;
  /** The balance, where the reply states it (section 2.4). */
  remaining: number | undefined;
  /** The size of the body. */
  bytes: number;
  result: Envelope | MarketError;
}

type About = Pick<Endpoint<unknown>, 'meter' | 'emptyOn404'>;

export function readReceipt(dialect: Dialect, about: About, { status, body }: Reply): Receipt {
  const paid = status >= 200 && status < 300;
  if (typeof body !== 'string')
    return { cost: paid ? 1 : 0, remaining: undefined, bytes: 0, result: body };
  const json = parseJson(body);
  const balance = { bytes: body.length, remaining: statedNumber(json, 'creditsRemaining') };
  if (!paid || isRefusal(json))
    return { ...balance, cost: 0, result: readRefusal(dialect, about, status, body) };
  return {
    ...balance,
    cost: statedNumber(json, 'creditsUsed') ?? 1,
    result: readEnvelope(dialect, json),
  };
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
  body: string,
): Envelope | MarketError {
  const refusal = refusalOf(dialect, status, body);
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
