import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createClientAddress } from '../../src/transport/client-address.ts';

/** Which client a request behind proxies counts for. */

/** Returns the client address of a request from 127.0.0.1 with this header. */
async function addressFor(trusted: string[], forwarded?: string): Promise<string> {
  const addressOf = createClientAddress(trusted);
  const server = createServer((request, response) => response.end(addressOf(request)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : undefined;
  const headers: Record<string, string> = forwarded ? { 'x-forwarded-for': forwarded } : {};
  return (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
}

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];

test.for([
  ['without a trusted proxy the header is not believed', [], '9.9.9.9', '127.0.0.1'],
  ['from an untrusted proxy it is not believed', ['10.0.0.0/8'], '9.9.9.9', '127.0.0.1'],
  ['a trusted proxy states its client', TRUSTED, '9.9.9.9', '9.9.9.9'],
  ['the client may have made up earlier addresses', TRUSTED, '1.1.1.1, 9.9.9.9', '9.9.9.9'],
  ['several proxies state theirs', TRUSTED, '1.1.1.1,9.9.9.9, 10.1.2.3,fd00::1', '9.9.9.9'],
  ['with a port', TRUSTED, '9.9.9.9:4711', '9.9.9.9'],
  ['in brackets', TRUSTED, '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
  ['a client with one IPv6 address has many', TRUSTED, '2001:DB8:0:0:9::7', '2001:db8:0:0::/64'],
  ['however it is written', TRUSTED, '2001:0db8:0000::1:2:3:4', '2001:db8:0:0::/64'],
  ['IPv4 in hexadecimal digits', TRUSTED, '::ffff:909:909', '::ffff:909:909'],
  ['as IPv6 writes it', TRUSTED, '::ffff:9.9.9.9, ::ffff:10.0.0.1', '9.9.9.9'],
  ['what is not an address is not believed', TRUSTED, '9.9.9.9, unknown, 10.0.0.1', '10.0.0.1'],
  ['if all are trusted it is the first', TRUSTED, '10.0.0.2, 10.0.0.1', '10.0.0.2'],
  ['a proxy that states nothing', TRUSTED, undefined, '127.0.0.1'],
] as const)('%s', async ([, trusted, forwarded, address]) => {
  expect(await addressFor([...trusted], forwarded)).toBe(address);
});
