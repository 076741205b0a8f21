import { type FetchAPI, getSSEProcessor } from 'graphql-yoga';
import type { EventsReply, ObjectReply } from '../pipeline/request.ts';
import { resultJson } from '../pipeline/result-json.ts';
import type { HttpReply, HttpRequest, OpenStreams } from './http-message.ts';
import { replyOf, varyFor } from './http-reply.ts';
import { EVENT_STREAM } from './negotiation.ts';

/** Results as a stream of events over HTTP. */

const writeEvents = getSSEProcessor();

/** Server-sent events, as Yoga writes them (graphql-sse, distinct connections mode). */
export async function eventStreamReply(
  request: HttpRequest,
  reply: EventsReply | ObjectReply,
  fetchAPI: () => FetchAPI,
  openStreams: OpenStreams,
): Promise<HttpReply> {
  if (reply.kind === 'object' && 'data' in reply.result) return oneEvent(request, reply);
  const result = reply.kind === 'events' ? reply.events : reply.result;
  const { status, headers, body } = replyOf(await writeEvents(result, fetchAPI(), EVENT_STREAM));
  const isEndless = reply.kind === 'events' && body instanceof ReadableStream;
  return {
    // What is refused before it runs is the only event of a stream: of any other status clients tell nothing but the
    // number, after they have tried again.
    status: status === 400 ? 200 : status,
    // nginx would hold events back until there are some kilobytes of them.
    headers: { ...headers, vary: varyFor(request), 'x-accel-buffering': 'no' },
    body: isEndless ? endable(body, openStreams) : body,
  };
}

/** Large data are JSON text already: Yoga would parse them and write them once more. */
function oneEvent(request: HttpRequest, { result }: ObjectReply): HttpReply {
  const vary = varyFor(request);
  const headers = { 'content-type': EVENT_STREAM, 'cache-control': 'no-cache', vary };
  const events = `event: next\ndata: ${resultJson(result)}\n\nevent: complete\ndata:\n\n`;
  return { status: 200, headers, body: [events] };
}

/**
 * A stream that can be ended from outside, without the event `complete`: with it clients take the
 * subscription to be over, and without it they connect again.
 */
function endable(
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
        // One that has failed cannot be cancelled, and need not be.
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
