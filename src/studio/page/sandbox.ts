import type { Answer } from './document.ts';
import { byId } from './dom.ts';

/** Whether all data are made up: answers say so, and a badge shows it. */

export function noteSandbox({ extensions }: Answer): void {
  if (extensions?.sandbox) byId('sandbox').hidden = false;
}

export const isSandbox = (): boolean => !byId('sandbox').hidden;
