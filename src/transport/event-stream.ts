import { type FetchAPI, getSSEProcessor } from 'graphql-yoga';
import type { EventsReply, ObjectReply } from '../pipeline/request.ts';
import { resultJson } from '../pipeline/result-json.ts';
import type { HttpReply, HttpRequest, OpenStreams } from './http-message.ts';
import { replyOf, varyFor } from './http-reply.ts';
import { EVENT_STREAM } from './negotiation.ts';

/** Results as server-sent events over HTTP. */

const writeEvents = getSSEProcessor();

/** Returns a reply of server-sent events, as Yoga writes them (graphql-sse, distinct connections mode). */
export async function eventStreamReply(
  request: HttpRequest,
  reply: EventsReply | ObjectReply,
  fetchAPI: () => FetchAPI,
  openStreams: OpenStreams,
): Promise<HttpReply> {
  if (reply.kind === 'object' && 'data' in reply.result) return singleEventReply(request, reply);
  const result = reply.kind === 'events' ? reply.events : reply.result;
  const { status, headers, body } = replyOf(await writeEvents(result, fetchAPI(), EVENT_STREAM));
  const isEndless = reply.kind === 'events' && body instanceof ReadableStream;
  return {
    // A refusal goes out as the only event of a stream with status 200: at any other status, clients retry and then
    // report only the number.
    status: status === 400 ? 200 : status,
    // Without this header, nginx buffers events until there are some kilobytes of them.
    headers: { ...headers, vary: varyFor(request), 'x-accel-buffering': 'no' },
    body: isEndless ? makeEndable(body, openStreams) : body,
  };
}

/** Writes a single result itself: large data are JSON text already, which Yoga would parse and serialize again. */
function singleEventReply(request: HttpRequest, { result }: ObjectReply): HttpReply {
  const vary = varyFor(request);
  const headers = { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache', vary };
  const events = `event: next\ndata: ${resultJson(result)}\n\nevent: complete\ndata:\n\n`;
  return { status: 200, headers, body: [events] };
}

/**
 * Returns a stream that can be ended from outside, without a `complete` event: clients then reconnect, whereas
 * `complete` would tell them that the subscription is over.
 */
function makeEndable(
  body: ReadableStream<Uint8Array>,
  openStreams: OpenStreams,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let end = () => {};
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      end = () => {
        openStreams.delete(end);
        controller.close();
        // A stream that has failed cannot be canceled, and need not be.
        reader.cancel().catch(() => undefined);
      };
      openStreams.add(end);
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        openStreams.delete(end);
        throw error;
      });
      if (!openStreams.has(end)) return;
      if (done) {
        openStreams.delete(end);
        controller.close();
      } else controller.enqueue(value);
    },
    cancel(reason) {
      openStreams.delete(end);
      return reader.cancel(reason);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
