import { ENDPOINT } from './client.ts';
import { readLink, type Shared } from './share.ts';

/** The address of the page names the question that is there, so that a reload, Back and who copies it come to that one. */

/** The id of what a link asks for. */
export const LINKED = 'linked';

export interface Named {
  linked: Shared | undefined;
  /** Of a question; undefined where the address names none. */
  id: string | undefined;
}

/** `onMove`: somebody has gone back or forward. */
export function createAddress(onMove: (named: Named) => void) {
  let link = '';

  function read(): Named {
    const linked = readLink(location.search);
    if (linked) link = location.search;
    return { linked, id: linked ? LINKED : location.hash.slice(1) || undefined };
  }
  addEventListener('popstate', () => onMove(read()));

  return {
    read,
    /** Back leads to the question before, if there was one. */
    write(id: string): void {
      const before = read().id;
      if (before === id) return;
      const address = ENDPOINT + (id === LINKED ? link : `#${id}`);
      if (before === undefined) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
    },
  };
}
