import type { News } from '../news.ts';
import { script, type Server } from './server.ts';

const PUBLISH = script(`redis.call('PUBLISH', KEYS[1], ARGV[1])`, 'allow-oom');

export function newsByValkey({ server, base }: { server: Server; base: string }): News {
  const channelOf = (topic: string) => `${base}told:${topic}`;
  return {
    publish: (topic, text) => void server.run(PUBLISH, [channelOf(topic)], [text]),
    listen: (topic, listener) => server.listen(channelOf(topic), listener),
  };
}
