import { ENDPOINT } from './client.ts';
import type { Draft } from './document.ts';
import { byId } from './dom.ts';
import { readLink } from './share.ts';

/** The page's address names the question shown, so that a reload, Back or a copied address leads to it. */

/** Id of the question that a shared link contains. */
export const LINKED = 'linked';

export interface Named {
  linked: Draft | undefined;
  /** Id of a question; undefined if the address names none. */
  id: string | undefined;
}

/** `onMove` is called when somebody goes back or forward; `isThere` says whether a question with that id exists. */
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
    /** Puts a question into the address. Back then leads to the previous one, if it still exists. */
    write(id: string): void {
      const before = read().id;
      if (before === id) return;
      const address = ENDPOINT + (id === LINKED ? link : `#${id}`);
      if (before === undefined || !isThere(before)) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
    },
  };
}

/** Links to a place on the page would remove the question from the address, so they only move the focus. */
function keepPlacesOut(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a.skip'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      byId(link.hash.slice(1)).focus();
    });
}
