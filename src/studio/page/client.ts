import type { Answer, Estimate } from './document.ts';

/** Speaks to the gateway that this page came from. */

export interface Sent {
  query: string;
  variables?: unknown;
  operationName?: string | undefined;
  extensions?: unknown;
}

export interface Reply {
  answer: Answer;
  /** How long the answer is fresh; undefined if no header says so. */
  freshSeconds: number | undefined;
  ms: number;
}

type Headers = Readonly<Record<string, string>>;

/** The page is served at the endpoint itself. */
export const ENDPOINT = location.pathname;
const DRY_RUN = 'x-usage-dry-run';

const post = (body: Sent, headers: Headers, accept: string, signal?: AbortSignal) =>
  fetch(ENDPOINT, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Sends an operation. Rejects if there is no answer, or none in JSON. */
export async function ask(body: Sent, headers: Headers, signal?: AbortSignal): Promise<Reply> {
  const began = performance.now();
  const response = await post(body, headers, 'application/json', signal);
  const answer = (await response.json()) as Answer;
  const maxAge = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1];
  return {
    answer,
    freshSeconds: maxAge === undefined ? undefined : Number(maxAge),
    ms: performance.now() - began,
  };
}

export interface DryRun {
  /** Undefined if the gateway refuses the operation. */
  estimate: Estimate | undefined;
  answer: Answer;
}

/** Asks what an operation would cost. Nothing is sent upstream for it. */
export async function dryRun(body: Sent, headers: Headers, signal?: AbortSignal): Promise<DryRun> {
  const { answer } = await ask(body, { ...headers, [DRY_RUN]: '1' }, signal);
  return { estimate: answer.extensions?.usage?.estimate, answer };
}

/** Headers for introspection, which costs nothing; a dry run of it would return no schema. */
export function withoutDryRun(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== DRY_RUN),
  );
}

/**
 * Live updates as server-sent events, over `fetch` since an EventSource cannot send headers. Throws if the stream
 * breaks off: a stream that the gateway ends on purpose sends a `complete` event.
 */
export async function* subscribe(
  body: Sent,
  headers: Headers,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  const response = await post(body, headers, 'text/event-stream, application/json', signal);
  if (!response.headers.get('content-type')?.includes('event-stream')) {
    yield (await response.json()) as Answer;
    return;
  }
  if (!response.body) return;
  let text = '';
  for await (const chunk of chunksOf(response.body.pipeThrough(new TextDecoderStream()))) {
    const events = (text + chunk).split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) {
      if (/^event: ?complete$/m.test(event)) return;
      const data = dataOf(event);
      if (data !== '') yield JSON.parse(data) as Answer;
    }
  }
  throw new Error('the live updates were cut off');
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const dataOf = (event: string) =>
  event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');

const isKey = (name: string) => /^(authorization|x-api-key)$/i.test(name);

export const hasKey = (headers: Headers): boolean => Object.keys(headers).some(isKey);

/** Returns the headers with this key in place of any other. */
export const withKey = (headers: Headers, key: string): Headers => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isKey(name))),
  authorization: `Bearer ${key}`,
});

/** Whether the gateway wants a key that it did not get. */
export const isUnauthenticated = ({ errors }: Answer): boolean =>
  errors?.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED') ?? false;

/** Codes of refusals that pass with time. */
const PASSING = new Set<unknown>(['OVERLOADED', 'TOO_MANY_SUBSCRIPTIONS', 'CLIENT_RATE_EXCEEDED']);

/** Whether the gateway has refused only for now. */
export const passes = ({ errors }: Answer): boolean =>
  errors?.some(({ extensions }) => PASSING.has(extensions?.code)) ?? false;
