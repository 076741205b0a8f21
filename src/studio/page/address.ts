import { ENDPOINT } from './client.ts';
import type { Draft } from './document.ts';
import { byId } from './dom.ts';
import { readLink } from './share.ts';

/** The address of the page names the question that is there, so that a reload, Back and who copies it come to that one. */

/** The id of what a link asks for. */
export const LINKED = 'linked';

export interface Named {
  linked: Draft | undefined;
  /** Of a question; undefined where the address names none. */
  id: string | undefined;
}

/** `onMove`: somebody has gone back or forward. `isThere`: whether there is a question with that id. */
export function createAddress(onMove: (named: Named) => void, isThere: (id: string) => boolean) {
  let link = '';
  keepPlacesOut();

  function read(): Named {
    const linked = readLink(location.search);
    if (linked) link = location.search;
    return { linked, id: linked ? LINKED : location.hash.slice(1) || undefined };
  }
  addEventListener('popstate', () => onMove(read()));

  return {
    read,
    /** Back leads to the question before, if there is one. */
    write(id: string): void {
      const before = read().id;
      if (before === id) return;
      const address = ENDPOINT + (id === LINKED ? link : `#${id}`);
      if (before === undefined || !isThere(before)) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
    },
  };
}

/** Links to a place on the page would take the question out of the address: they move the focus alone. */
function keepPlacesOut(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a.skip'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      byId(link.hash.slice(1)).focus();
    });
}
