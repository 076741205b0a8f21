import { createRouter, type Endpoint, type MeterName } from './endpoint.ts';
import { Refusal, type RefusalCode } from './refusal.ts';
import { dayOf, stepAt } from './time.ts';

/** What a URL is answered with at a moment, without the fields that change from request to request. */
export interface Page {
  /** Set when the request was refused: its parameters are wrong or nothing matches. */
  refused: RefusalCode | null;
  /** The rest of the JSON object, after its opening brace. */
  rest: Buffer;
}

/** An endpoint found for a path. */
export interface Found {
  meter: MeterName | null;
  open: boolean;
  page: () => Page;
}

/** Finds what a path and query is answered with; null for an unknown path. */
export type Pages = (path: string) => Found | null;

/** Most bytes kept; the whole legislation archive alone is more than one million. */
const MAX_BYTES = 64_000_000;

const restOf = (fields: object) => Buffer.from(JSON.stringify(fields).slice(1));

/** Runs `make`; a Refusal becomes a page too, so that it is remembered like any other. */
function pageOf(make: () => object, errorFields: (refusal: Refusal) => object): Page {
  try {
    return { refused: null, rest: restOf(make()) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refused: error.code, rest: restOf(errorFields(error)) };
  }
}

/**
 * Answers depend on seed, step of the clock and URL alone, so a serialised page is kept until the next step:
 * under load nearly every request is a copy of bytes.
 */
function createStepCache(now: () => number) {
  const kept = new Map<string, Page>();
  let step = Number.NaN;
  let bytes = 0;

  function forget(): void {
    kept.clear();
    bytes = 0;
  }

  function keep(path: string, make: (at: number) => Page): Page {
    const at = stepAt(now());
    if (at !== step || bytes > MAX_BYTES) forget();
    step = at;
    const found = kept.get(path);
    if (found) return found;
    const page = make(at);
    kept.set(path, page);
    bytes += page.rest.length + path.length;
    return page;
  }
  return { keep, forget };
}

/** The pages of a group, and a way to forget those made under other settings. */
export function createPages(
  endpoints: readonly Endpoint[],
  errorFields: (refusal: Refusal) => object,
  now: () => number,
): { find: Pages; forget: () => void } {
  const route = createRouter(endpoints);
  const { keep, forget } = createStepCache(now);

  function find(path: string): Found | null {
    const mark = path.indexOf('?');
    const found = route(mark < 0 ? path : path.slice(0, mark));
    if (!found) return null;
    const { endpoint, subject } = found;
    const answer = (at: number) => {
      const query = new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1));
      return endpoint.answer({ query, subject, at, today: dayOf(at), path });
    };
    const page = () => keep(path, (at) => pageOf(() => answer(at), errorFields));
    return { meter: endpoint.meter, open: endpoint.open ?? false, page };
  }
  return { find, forget };
}
