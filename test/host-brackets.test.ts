import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';

test('HOST and ADMIN_HOST may be IPv6 addresses in brackets, as in a URL', () => {
  const { host, admin } = readConfig({ HOST: '[::]', ADMIN_HOST: '[::1]' });
  expect([host, admin.host]).toEqual(['::', '::1']);
  expect(() => readConfig({ ADMIN_HOST: '[::]' })).toThrow('ADMIN_TOKEN');
});
