import { isIP } from 'node:net';
import { z } from 'zod';

/** Variables that hold several comma-separated values: names, origins, hosts and networks. */

export const list = z
  .string()
  .default('')
  .transform((names) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  );
/** A list whose entries must all pass `check`, which returns the normalized entry, or undefined if it is not valid. */
const listOf = (check: (entry: string) => string | undefined, problem: string) =>
  list.transform((entries, context) => {
    const checked = entries.map(check);
    if (checked.includes(undefined)) context.addIssue({ code: 'custom', message: problem });
    return checked.filter((entry) => entry !== undefined);
  });
export const origins = listOf(originOf, 'must be origins such as https://a.example, or *');
export const hosts = listOf(hostOf, 'must be host names without a port, or *');
export const networks = listOf(
  (entry) => (isNetwork(entry) ? entry : undefined),
  'must be addresses or networks such as 10.0.0.0/8',
);

/**
 * Normalizes an origin to the form that browsers send: in lower case, without a trailing slash or a default port. Any
 * scheme is accepted, since apps have their own. Undefined if the entry is not an origin.
 */
export function originOf(entry: string): string | undefined {
  if (entry === '*') return entry;
  const written = entry.replace(/\/$/, '').toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/.test(written) || !URL.canParse(written))
    return undefined;
  return /^https?:/.test(written) ? new URL(written).origin : written;
}

function hostOf(entry: string): string | undefined {
  const isHost = /^(\*|[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i.test(entry);
  return isHost ? entry.toLowerCase() : undefined;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || bits === undefined) return version !== 0;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}
