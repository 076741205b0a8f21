/** Whether a host is a loopback address, to which only this machine can connect. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);
