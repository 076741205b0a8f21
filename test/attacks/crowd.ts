import type { Attack } from './attack.ts';
import { manyRequests } from './many-requests.ts';
import { oneRequest } from './one-request.ts';
import { sockets } from './sockets.ts';

/** The attackers that need no settings of their own. */
const attackers = [...oneRequest, ...sockets, ...manyRequests].filter(
  ({ env, upstream }) => !env && !upstream,
);

export const crowd: Attack = {
  name: 'one attacker of each kind at once',
  run: async (target) => {
    await Promise.allSettled(attackers.map(({ run }) => run(target)));
  },
};
