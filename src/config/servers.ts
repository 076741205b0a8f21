import { decodedPart } from '../encoding.ts';
import { list } from './lists.ts';

/**
 * Addresses of Valkey or Redis servers. They are checked here, since the client library throws for some malformed
 * addresses and silently misreads others.
 */

export const servers = list.superRefine((addresses, context) => {
  const problem = addresses.map(problemOf).find((one) => one !== undefined);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** The problem with an address; undefined if there is none. Never repeats the address, which may hold a password. */
function problemOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url?.hostname || !/^rediss?:$/.test(url.protocol))
    return 'must be redis:// or rediss:// URLs with a host; , / ? # in a password must be percent-encoded as %2C %2F %3F %23';
  if ([url.username, url.password].some((text) => decodedPart(text) === undefined))
    return 'a % in a user or password must be percent-encoded as %25';
  // Tested on the text, so that a bare ? or # at the end is found as well.
  if (/[?#]/.test(address))
    return 'must not contain ? or #; in a password they must be percent-encoded as %3F and %23';
  if (!/^\/?\d*$/.test(url.pathname))
    return 'only a database number may follow the host, as in redis://host:6379/3';
  return undefined;
}
