import type { Answer } from './document.ts';
import { byId } from './dom.ts';

/** Whether all data are made up: answers say so, and a badge shows it. */

export function noteSandbox({ extensions }: Answer): void {
  // An answer without an account says nothing. The gateway may have been restarted with real keys.
  if (extensions?.usage) byId('sandbox').hidden = !extensions.sandbox;
}

export const isSandbox = (): boolean => !byId('sandbox').hidden;
