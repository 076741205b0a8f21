import { expect, test } from 'vitest';
import { createSingleFlight } from '../../src/cache/single-flight.ts';
import { NotSent } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';

/** A shared request that is refused because of who has started it. */

/** Begins an operation of a named client. */
const beginFor = (client: string, isRevoked = false) =>
  startOperation({
    maxRequests: 100,
    deadline: Infinity,
    spender: {
      priority: 'NORMAL',
      name: () => 'query',
      payer: { name: client, budgets: [] },
      isRevoked,
    },
  });

test.each([
  ['CLIENT_BUDGET_EXCEEDED', 'another client', beginFor('web'), beginFor('app')],
  ['UNAUTHENTICATED', 'another key', beginFor('web', true), beginFor('web')],
] as const)(
  'after %s for one operation, %s asks anew, and nobody else',
  async (code, _who, alike, other) => {
    const share = createSingleFlight<string>(() => 1000);
    const started: PromiseWithResolvers<string>[] = [];
    const ask = (operation: ReturnType<typeof beginFor>) =>
      share('key', operation, () => {
        const task = Promise.withResolvers<string>();
        started.push(task);
        return task.promise;
      });
    const failures = [beginFor('web', true), alike].map((operation) =>
      ask(operation).catch((error: unknown) => error),
    );
    const asked = ask(other);
    started[0]?.reject(new NotSent(code));
    const codes = (await Promise.all(failures)).map((error) => Object(error).code);
    expect(codes).toEqual([code, code]);
    await expect.poll(() => started).toHaveLength(2);
    started[1]?.resolve('result');
    expect(await asked).toBe('result');
  },
);
