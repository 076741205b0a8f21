import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { STORES } from './stores.ts';

/** A request that fails is repeated once, wherever processes share what they know. */

const SEARCH = '{ legislationChanges(filter: { search: "law" }) { totalCount } }';
const FAILURES = [
  { code: 'UPSTREAM_UNAVAILABLE', fault: { kind: 'status', status: 500 }, limits: {} },
  // On a busy machine the first answer may take a while.
  { code: 'UPSTREAM_TIMEOUT', fault: { kind: 'hold' }, limits: { UPSTREAM_TIMEOUT_MS: '2000' } },
] as const;

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  test.skipIf(isMissing).each(FAILURES)('$code', async ({ code, fault, limits }) => {
    const { env } = await openStore();
    const { sandbox, ask } = await open({ env: { ...env, ...limits } });
    // The first answer tells the cost of a request.
    await ask('{ legislationChanges { totalCount } }');
    const before = sandbox.requests().length;
    sandbox.fault(fault);
    const { errors, extensions } = await ask(SEARCH);
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(sandbox.requests()).toHaveLength(before + 2);
    expect(extensions.usage.upstream).toMatchObject({ requests: 2, failed: 2 });
  });
});
