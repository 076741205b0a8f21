import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

/** SHARED_URL: an unusable address is reported at startup, without its password. */

const SCHEME = /redis:\/\/ or rediss:\/\/ .+ %2C %2F %3F %23$/;
const PERCENT = /%25$/;
const NO_QUERY = /must not contain \? or #/;
const DATABASE = /database number/;

test.each([
  ['http://:secret@a.example', SCHEME],
  ['redis://', SCHEME],
  ['redis://:secret@a.example,redis:///0', SCHEME],
  ['redis://a.example:70000', SCHEME],
  // In a password these characters end the address, or the host.
  ['redis://:secret,x@a.example', SCHEME],
  ['redis://:secret/x@a.example', SCHEME],
  ['redis://:secret#x@a.example', SCHEME],
  ['redis://:6379#secret@a.example', SCHEME],
  ['redis://user:6379#secret@a.example', NO_QUERY],
  ['redis://:secret%@a.example', PERCENT],
  ['redis://:secret%zz@a.example', PERCENT],
  ['redis://secret%ff:x@a.example', PERCENT],
  ['redis://:secret@a.example,rediss://:secret%@b.example', PERCENT],
  ['redis://:secret@a.example?db=3', NO_QUERY],
  ['redis://:secret@a.example/3?', NO_QUERY],
  ['redis://:secret@a.example/#', NO_QUERY],
  ['redis://:secret@a.example/abc', DATABASE],
  ['redis://:secret@a.example/-1', DATABASE],
  ['redis://:secret@a.example/1.5', DATABASE],
  ['redis://:secret@a.example/1e3', DATABASE],
  ['redis://:secret@a.example/0/', DATABASE],
] as const)('%s is refused', (address, problem) => {
  const read = () => readConfig({ SHARED_URL: address });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/^SHARED_URL: .+$/);
  expect(read).toThrow(problem);
  expect(read).not.toThrow(/secret/);
});

test.each([
  'redis://a.example',
  'redis://a.example:6379/',
  'rediss://user:pass%25%2C%2F%3F%23word@a.example:6379/15',
  'redis://:p@ss:word@[::1]:6379/0',
])('%s is accepted', (address) => {
  expect(readConfig({ SHARED_URL: address }).sharedUrls).toEqual([address]);
});
