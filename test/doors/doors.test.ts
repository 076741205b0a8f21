import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { open, temporaryFolder } from '../harness.ts';
import { type Door, DOORS, outcome } from './doors.ts';
import { type Case, CASES, LISTED } from './operations.ts';

/**
 * Every operation is answered alike through every door: with the same data, errors and usage, and the same
 * requests to the upstream. Each pair of an operation and a door has a gateway of its own.
 */

const REFERENCE = DOORS[0]!;

async function run({ asks, env, fault }: Case, door: Door) {
  const manifest = join(temporaryFolder(), 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ [sha256(LISTED)]: LISTED }));
  const bench = await open({ env: { PERSISTED_DOCUMENTS: manifest, ...env } });
  if (fault) bench.sandbox.fault(fault);
  const answers = [];
  for (const asked of asks) answers.push(outcome(await door.ask(bench, asked)));
  const requests = bench.sandbox.requests().map(({ path, status }) => `${status} ${path}`);
  return { answers, requests: requests.toSorted() };
}

type Outcome = Awaited<ReturnType<typeof run>>;

/** Leaves out the usage of those answers that the other door delivers without one. */
function withoutUsage({ answers, requests }: Outcome, other: Outcome): Outcome {
  const comparable = answers.map((answer, i) =>
    other.answers[i]?.usage ? answer : { ...answer, usage: undefined },
  );
  return { answers: comparable, requests };
}

const references = new Map<Case, Promise<Outcome>>();

function reference(asked: Case): Promise<Outcome> {
  const known = references.get(asked) ?? run(asked, REFERENCE);
  references.set(asked, known);
  return known;
}

test.for(CASES)('$what is answered as expected', async (asked) => {
  const { answers, requests } = await reference(asked);
  const { data, errors } = answers.at(-1)!;
  expect(data).toEqual(asked.data);
  expect(errors.map(({ code }) => code)).toEqual(asked.codes ?? []);
  expect(requests).toHaveLength(asked.requests ?? 0);
});

describe.for(DOORS.filter((door) => door !== REFERENCE))('$name', (door) => {
  const supported = CASES.filter(({ asks }) => asks.every((asked) => door.supports(asked)));
  test.for(supported)('$what', async (asked) => {
    const result = await run(asked, door);
    expect(result).toEqual(withoutUsage(await reference(asked), result));
  });
});
