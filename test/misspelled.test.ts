import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { open } from './harness.ts';

/** Unknown variables are reported if they are near misses of known ones; blank values count as unset. */

describe('a variable with nearly the name of a known one', () => {
  test.each([
    ['FX_MONTHY_LIMIT', 'FX_MONTHLY_LIMIT'],
    ['CLIENT_FILE', 'CLIENTS_FILE'],
    ['MAX_UPSTREAM_REQUEST_PER_OPERATION', 'MAX_UPSTREAM_REQUESTS_PER_OPERATION'],
  ])('%s is reported, with %s as the suggestion', (name, meant) => {
    expect(readConfig({ [name]: '1' }).misspelled).toEqual([{ name, meant }]);
  });

  test.each(['PATH', 'HOSTNAME', 'POST', 'LANGUAGE', 'XDG_DATA_DIRS', 'npm_config_port'])(
    '%s is not one',
    (name) => {
      expect(readConfig({ [name]: '1' }).misspelled).toEqual([]);
    },
  );
});

test('a variable of blanks counts as not set', () => {
  expect(readConfig({ FX_MONTHLY_LIMIT: ' ', ADMIN_PORT: ' ' })).toMatchObject({
    limits: { fx: undefined },
    admin: { port: 4001 },
  });
});

test.each([
  ['', true],
  [' ', true],
  [undefined, false],
])(
  'without a clients file everybody is served; the log warns if one was perhaps meant: %j',
  async (path, warns) => {
    const bench = await open({ env: path === undefined ? {} : { CLIENTS_FILE: path } });
    expect((await bench.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    expect(bench.log().includes('CLIENTS_FILE: is empty')).toBe(warns);
  },
);

test('the log warns of an upstream that is ignored because the sandbox is served', async () => {
  const logOf = async (env: Record<string, string>) => (await open({ env })).log();
  expect(await logOf({ SANDBOX: '1' })).toContain(
    'GROUP_A_URL, GROUP_A_KEY, GROUP_B_URL, GROUP_B_KEY: no effect, since SANDBOX is 1',
  );
  expect(await logOf({})).not.toContain('no effect');
});

test.skipIf(process.platform !== 'linux')(
  'the log warns of more connections than the system allows open files',
  async () => {
    const logOf = async (max: string) => (await open({ env: { MAX_CONNECTIONS: max } })).log();
    expect(await logOf('4000000000')).toMatch(/MAX_CONNECTIONS: 4000000000 are more .* open files/);
    expect(await logOf('10')).not.toContain('open files');
  },
);
