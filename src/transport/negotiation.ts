/** Content negotiation (RFC 9110 section 12): what a client accepts, and what it gets. */

export const EVENT_STREAM = 'text/event-stream';
const PAGE = 'text/html';
/** Single results. A client that accepts anything gets the first. */
const RESULTS = ['application/json', 'application/graphql-response+json'];
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
  /** Whether it names pages, and likes no JSON better, as browsers do that open an address. */
  isPage: boolean;
}

/** Reads an `accept` header. */
export function readAccept(header: string): Accepted {
  const ranges = rangesOf(header);
  const weightOf = (offered: string) => rangeFor(offered, ranges)?.weight ?? 0;
  const accepts = (offered: string) => weightOf(offered) > 0;
  const placeOf = (offered: string) => ranges.indexOf(rangeFor(offered, ranges)!);
  // Of those with the highest weight the one that stands first.
  const [result] = RESULTS.filter(accepts).toSorted(
    (a, b) => weightOf(b) - weightOf(a) || placeOf(a) - placeOf(b),
  );
  const events = accepts(EVENT_STREAM);
  const any = OFFERED.some(accepts);
  // Errors are told in JSON to those who accept nothing.
  const mediaType = `${result ?? RESULTS[0]}; charset=utf-8`;
  const format = result || !events ? { mediaType } : 'object';
  const page = ranges.find(({ type }) => type === PAGE)?.weight ?? 0;
  const isPage = page > 0 && page >= (result ? weightOf(result) : 0);
  return { format, events, any, isMultipart: any && !result && !events, isPage };
}

interface Range {
  /** A media type, or one with an asterisk in the place of its parts. */
  type: string;
  /** 0: what is named is refused. */
  weight: number;
}

/** All that is sent is UTF-8: other charsets are left out. */
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
      return ['utf-8', undefined].includes(valueOf('charset')) ? { type, weight } : [];
    });
}

/** The range that says most exactly what is meant decides (RFC 9110 section 12.5.1). */
function rangeFor(offered: string, ranges: readonly Range[]): Range | undefined {
  const names = [offered, offered.replace(/\/.*/, '/*'), '*/*'];
  for (const name of names) {
    const range = ranges.find(({ type }) => type === name);
    if (range) return range;
  }
  return undefined;
}
