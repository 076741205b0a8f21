import { byId, choice } from './dom.ts';

/** Variables and headers share one place: one of them is shown at a time. */
export function createParts(): void {
  choice(
    byId('parts'),
    [
      ['variables', 'Variables'],
      ['headers', 'Headers'],
    ],
    'variables',
    (chosen) => {
      for (const part of ['variables', 'headers']) byId(part).hidden = part !== chosen;
    },
  );
}
