import { script, type Server } from './server.ts';

/** What replicas tell each other at once. Who is not there at that moment never hears of it. */
export interface News {
  tell(topic: string, text: string): void;
  /** Calls `listener` with what any replica tells, this one included. */
  listen(topic: string, listener: (text: string) => void): void;
}

const TELL = script(`redis.call('PUBLISH', KEYS[1], ARGV[1])`, 'allow-oom');

export function newsByValkey({ server, base }: { server: Server; base: string }): News {
  const channelOf = (topic: string) => `${base}told:${topic}`;
  return {
    tell: (topic, text) => void server.run(TELL, [channelOf(topic)], [text]),
    listen: (topic, listener) => server.listen(channelOf(topic), listener),
  };
}
