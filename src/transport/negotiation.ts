import type { OperationRequest } from '../pipeline/request.ts';

/** Content negotiation (RFC 9110 section 12): what a client accepts, and what it gets. */

export const EVENT_STREAM = 'text/event-stream';
const HTML = 'text/html';
/** Media types of single results. A client that accepts anything gets the first. */
const RESULT_TYPES = ['application/json', 'application/graphql-response+json'];
/** All media types that an answer may be sent as. */
export const OFFERED_TYPES = [...RESULT_TYPES, EVENT_STREAM, 'multipart/mixed'];

/** What a client accepts. */
export interface Accepted {
  /** How a single result is sent; `object`: as an event, since the client accepts no JSON. */
  format: OperationRequest['format'];
  /** Whether it accepts a stream of events. */
  acceptsEvents: boolean;
  /** Whether multipart results are all it accepts of what is offered. */
  acceptsOnlyMultipart: boolean;
  /** Whether it accepts any of the media types offered. */
  acceptsAny: boolean;
  /** Whether it names HTML and does not prefer JSON, as browsers do when they open an address. */
  isPage: boolean;
}

/** Reads an `accept` header. */
export function readAccept(header: string): Accepted {
  const ranges = rangesOf(header);
  const weightOf = (offered: string) => rangeFor(offered, ranges)?.weight ?? 0;
  const accepts = (offered: string) => weightOf(offered) > 0;
  const placeOf = (offered: string) => ranges.indexOf(rangeFor(offered, ranges)!);
  // Of the types with the highest weight, the one that the client lists first.
  const [result] = RESULT_TYPES.filter(accepts).toSorted(
    (a, b) => weightOf(b) - weightOf(a) || placeOf(a) - placeOf(b),
  );
  const acceptsEvents = accepts(EVENT_STREAM);
  const acceptsAny = OFFERED_TYPES.some(accepts);
  // Clients that accept nothing that is offered get errors as JSON.
  const mediaType = `${result ?? RESULT_TYPES[0]}; charset=utf-8`;
  const format = result || !acceptsEvents ? { mediaType } : 'object';
  const page = ranges.find(({ type }) => type === HTML)?.weight ?? 0;
  const isPage = page > 0 && page >= (result ? weightOf(result) : 0);
  return {
    format,
    acceptsEvents,
    acceptsAny,
    acceptsOnlyMultipart: acceptsAny && !result && !acceptsEvents,
    isPage,
  };
}

interface Range {
  /** A media type, or one with asterisks for one or both of its parts. */
  type: string;
  /** 0: the type is not accepted. */
  weight: number;
}

const UTF_8 = ['utf-8', 'utf8'];

/** Everything is sent in UTF-8: ranges that name another charset are left out. */
function rangesOf(header: string): Range[] {
  return header
    .toLowerCase()
    .replaceAll(/[\s"]/g, '')
    .split(',')
    .flatMap((range) => {
      const [type = '', ...parameters] = range.split(';');
      const valueOf = (name: string) =>
        parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
      const weight = Number(valueOf('q') ?? 1) || 0;
      return UTF_8.includes(valueOf('charset') ?? 'utf-8') ? { type, weight } : [];
    });
}

/** The most specific range decides (RFC 9110 section 12.5.1). */
function rangeFor(offered: string, ranges: readonly Range[]): Range | undefined {
  const names = [offered, offered.replace(/\/.*/, '/*'), '*/*'];
  return names
    .map((name) => ranges.find(({ type }) => type === name))
    .find((range) => range !== undefined);
}
