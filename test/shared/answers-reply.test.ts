import { expect, test } from 'vitest';
import { pack } from '../../src/shared/packing.ts';
import type { UpstreamReply } from '../../src/shared/shared.ts';
import { readStored } from '../../src/shared/valkey/answers-reply.ts';

/** What a server replies about stored answers. */

const ANSWER: UpstreamReply = { asked: null, status: 200, body: '{}', retrievedAt: 1 };

test.each([
  [30_000, 30_000],
  [-100, 0],
  [-30_000, Infinity],
])('an answer that is %s ms old by the clock of the server has the age %s', async (ms, age) => {
  const { head, body } = await pack(ANSWER);
  const reply = [Buffer.from('7'), ms, Buffer.from(head), Buffer.from(body)];
  expect(readStored(reply)).toEqual([{ ...ANSWER, number: 7, age }]);
});
