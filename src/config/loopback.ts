/** Whether a host is a loopback address, to which only this machine can connect. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

/** An IPv6 address as sockets take it, even if it is written as in a URL: `[::1]`. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.+)\]$/, '$1');
