import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { App } from '../src/embed.ts';
import {
  MarketPageDocument,
  RatesDocument,
  type TypedDocumentString,
  UsageDocument,
} from '../src/operations/generated/graphql.ts';
import type { Extensions } from '../src/usage/report.ts';
import { promisedCost, QUERIES } from './ready-made.ts';
import { fromWholeMinute } from './whole-minute.ts';

async function startGateway(): Promise<App> {
  const app = await createApp(readConfig({ LOG_LEVEL: 'silent' }), { now: fromWholeMinute() });
  onTestFinished(() => app.close());
  return app;
}

interface Answer<Data> {
  data: Data;
  errors?: unknown;
  extensions: Extensions;
}

async function run<Data, Variables>(
  app: App,
  query: TypedDocumentString<Data, Variables> | string,
  variables?: Variables,
): Promise<Answer<Data>> {
  const response = await app.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: query.toString(), variables }),
    }),
  );
  return (await response.json()) as Answer<Data>;
}

test.for(QUERIES)('%s runs with its defaults and costs no more than it says', async ([, text]) => {
  const { data, errors, extensions } = await run(await startGateway(), text);
  expect(errors).toBeUndefined();
  expect(Object.values(data as object)).not.toContain(null);
  const { fx, macro, credits } = extensions.usage;
  const promised = promisedCost(text);
  expect(fx.used).toBeLessThanOrEqual(promised.fx);
  expect(macro.used).toBeLessThanOrEqual(promised.macro);
  expect(credits.used).toBeLessThanOrEqual(promised.credits);
});

test('a typed document gives typed data', async () => {
  const app = await startGateway();
  const { data } = await run(app, RatesDocument, { filter: { pairs: ['usd/try'] } });
  expect(data.fxRates?.nodes.map(({ pair }) => pair)).toEqual(['USDTRY']);
});

test('the market page costs nothing when it is repeated', async () => {
  const app = await startGateway();
  await run(app, MarketPageDocument);
  const { fx, macro, credits, upstream } = (await run(app, MarketPageDocument)).extensions.usage;
  expect([fx.used, macro.used, credits.used, upstream.requests]).toEqual([0, 0, 0, 0]);
});

test('the usage operation shows what the one before it has spent', async () => {
  const app = await startGateway();
  await run(app, RatesDocument);
  const { data } = await run(app, UsageDocument);
  expect(data.usage.fx.usedThisMonth).toBe(1);
});
