import { isObject } from '../json.ts';

/** Messages and questions between two processes, over the IPC channel that Node opens between them. */
export interface Link {
  notify(topic: string, content?: unknown): void;
  /** Returns the result of the other side's handler. Rejects with its error, on timeout, or if the other side ends. */
  ask(topic: string, content?: unknown, timeoutMs?: number): Promise<unknown>;
  /** Sets the only handler of a topic; its result answers the question, if there was one. */
  on(topic: string, handler: (content: unknown) => unknown): void;
  /** Rejects all open questions, since the other side has ended. */
  close(): void;
}

/** One end of the channel. */
interface Channel {
  send(message: Message): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** With `topic` and `id`: a question. With `topic` only: a message without an answer. With `id` only: an answer. */
interface Message {
  topic?: string;
  id?: number;
  content?: unknown;
  error?: string;
}

export function openLink({ send, onMessage }: Channel): Link {
  const handlers = new Map<string, (content: unknown) => unknown>();
  const pending = new Map<number, (answer: Message) => void>();
  let lastId = 0;

  async function answer({ topic = '', id, content }: Message): Promise<void> {
    try {
      const handler = handlers.get(topic);
      // The other process may run another version, if files were replaced while the gateway was running.
      if (!handler) throw new Error(`the other process does not know "${topic}"`);
      const result = await handler(content);
      if (id !== undefined) send({ id, content: result });
    } catch (error) {
      if (id !== undefined) send({ id, error: error instanceof Error ? error.message : 'failed' });
    }
  }

  onMessage((received) => {
    if (!isMessage(received)) return;
    if (received.topic !== undefined) void answer(received);
    else pending.get(received.id ?? 0)?.(received);
  });

  return {
    notify: (topic, content) => send({ topic, content }),
    on: (topic, handler) => void handlers.set(topic, handler),
    ask(topic, content, timeoutMs) {
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const timeOut = () => pending.get(id)?.({ error: `no answer within ${timeoutMs} ms` });
      const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, timeoutMs);
      pending.set(id, ({ content: result, error }) => {
        clearTimeout(timer);
        pending.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(error));
      });
      send({ topic, id, content });
      return promise;
    },
    close() {
      for (const end of pending.values()) end({ error: 'the other process has ended' });
    },
  };
}

const isMessage = (message: unknown): message is Message =>
  isObject(message) && ('topic' in message || 'id' in message);
