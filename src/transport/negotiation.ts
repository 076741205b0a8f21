/** Content negotiation (RFC 9110 section 12): what a client accepts, and what it gets. */

export const EVENT_STREAM = 'text/event-stream';
/** Single results. A client that accepts anything gets the last. */
const RESULTS = ['application/graphql-response+json', 'application/json'];
/** All that an answer may be sent as. */
export const OFFERED = [...RESULTS, EVENT_STREAM, 'multipart/mixed'];

/** What a client accepts. */
export interface Accepted {
  /** What a single result is sent as; `object`: as an event, since the client accepts no JSON. */
  format: { mediaType: string } | 'object';
  /** Whether it accepts a stream of events. */
  events: boolean;
  /** Whether it accepts multipart results and nothing else that it can be sent. */
  isMultipart: boolean;
  /** Whether it accepts anything that an operation may be answered with. */
  any: boolean;
}

/** Reads an `accept` header. */
export function readAccept(header: string): Accepted {
  const ranges = header.toLowerCase().replaceAll(/[\s"]/g, '').split(',').filter(isUtf8);
  const typesOf = (some: readonly string[]) => some.map((range) => range.split(';')[0] ?? '');
  const types = typesOf(ranges.filter((range) => !isRefused(range)));
  const refused = new Set(typesOf(ranges.filter(isRefused)));
  const isAccepted = (range: string, offered: string) =>
    matches(range, offered) && !refused.has(offered);
  const accepts = (offered: string) => types.some((range) => isAccepted(range, offered));
  // The range that stands first decides.
  const range = types.find((one) => RESULTS.some((offered) => isAccepted(one, offered)));
  const result = RESULTS.findLast((offered) => range && isAccepted(range, offered));
  const events = accepts(EVENT_STREAM);
  const any = OFFERED.some(accepts);
  // Errors are told in JSON to those who accept nothing.
  const mediaType = `${result ?? 'application/json'}; charset=utf-8`;
  const format = result || !events ? { mediaType } : 'object';
  return { format, events, any, isMultipart: any && !result && !events };
}

/** All that is sent is UTF-8. */
function isUtf8(range: string): boolean {
  const charset = /;charset=([^;]*)/.exec(range)?.[1];
  return charset === undefined || charset === 'utf-8';
}

/** A weight of nothing: the type is named to refuse it. */
const isRefused = (range: string) => /;q=0(\.0*)?(;|$)/.test(range);

function matches(range: string, offered: string): boolean {
  const [type, subtype] = offered.split('/');
  const [askedType, askedSubtype] = range.split('/');
  return [type, '*'].includes(askedType) && [subtype, '*'].includes(askedSubtype);
}
