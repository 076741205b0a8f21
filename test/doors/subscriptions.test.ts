import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { readReply } from '../reply.ts';
import {
  type Answered,
  EVENTS,
  type Fetch,
  get,
  outcome,
  overNetwork,
  overWebSocket,
  post,
} from './doors.ts';
import type { Asked } from './operations.ts';

/** A subscription is answered alike through every door; here, up to its first event. */

const QUERY =
  'subscription Rates($pairs: [CurrencyPair!]!) { fxRatesUpdated(pairs: $pairs) { pair } }';
const variables = { pairs: ['USDTRY'] };
const documentId = sha256(QUERY);
const DATA = { fxRatesUpdated: [{ pair: 'USDTRY' }] };

interface Case {
  what: string;
  asked: Asked;
  codes?: string[];
}

const CASES: readonly Case[] = [
  { what: 'a subscription', asked: { query: QUERY, variables } },
  { what: 'a persisted subscription', asked: { documentId, variables } },
  {
    what: 'a wrong argument',
    asked: { query: QUERY, variables: { pairs: [] } },
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'a wrong variable',
    asked: { query: QUERY, variables: { pairs: 'X' } },
    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'an unknown field',
    asked: { query: 'subscription { nothing }' },
    codes: ['GRAPHQL_VALIDATION_FAILED'],
  },
];

/** Reads one event, and disconnects. */
async function firstEvent(bench: Bench, send: Fetch, request: Request): Promise<Answered> {
  const response = await send(request);
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const data = /^event: next\ndata: (.*)\n\n/m.exec(text)?.[1];
    if (data === undefined) continue;
    const reply = readReply(response.status, data);
    bench.noteReply(reply, data);
    return reply;
  }
  throw new Error(`no event: ${text}`);
}

interface Door {
  name: string;
  ask(bench: Bench, asked: Asked): Promise<Answered>;
}

const REFERENCE: Door = {
  name: 'SSE, POST',
  ask: (bench, asked) => firstEvent(bench, overNetwork, post(bench, asked, EVENTS)),
};

const DOORS: readonly Door[] = [
  {
    name: 'SSE, GET',
    ask: (bench, asked) => firstEvent(bench, overNetwork, get(bench, asked, EVENTS)),
  },
  {
    name: 'SSE, app.fetch, POST',
    ask: (bench, asked) => firstEvent(bench, bench.fetch, post(bench, asked, EVENTS)),
  },
  {
    name: 'SSE, app.fetch, GET',
    ask: (bench, asked) => firstEvent(bench, bench.fetch, get(bench, asked, EVENTS)),
  },
  { name: 'WebSocket', ask: overWebSocket },
];

async function run({ asked, codes }: Case, door: Door) {
  const manifest = join(temporaryFolder(), 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ [documentId]: QUERY }));
  // The request that feeds the subscription counts as background.
  const unreadUnits = codes ? 0 : 1;
  const bench = await open({ env: { PERSISTED_DOCUMENTS: manifest }, unreadUnits });
  const answer = outcome(await door.ask(bench, asked));
  return { answer, requests: bench.sandbox.requests().map(({ path }) => path) };
}

test.for(CASES)('$what is answered as expected', async (one) => {
  const { answer, requests } = await run(one, REFERENCE);
  expect(answer.data).toEqual(one.codes ? undefined : DATA);
  expect(answer.errors.map(({ code }) => code)).toEqual(one.codes ?? []);
  expect(requests).toHaveLength(one.codes ? 0 : 1);
});

describe.for(DOORS)('$name', (door) => {
  test.for(CASES)('$what', async (one) => {
    const result = await run(one, door);
    const { answer, requests } = await run(one, REFERENCE);
    const usage = result.answer.usage && answer.usage;
    expect(result).toEqual({ answer: { ...answer, usage }, requests });
  });
});
