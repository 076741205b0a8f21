import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openAdmin, type Families } from './admin.ts';

/** The documentation, the alerts and the dashboard name the metrics that exist. */

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Returns all metrics, with a sample of each: without one its labels are unknown. */
async function openAll(): Promise<Families> {
  const { ask, app, metrics } = await openAdmin({
    FX_MONTHLY_LIMIT: '100000',
    GROUP_B_REQUESTS_PER_SECOND: '10',
  });
  await ask('{ fxRates(first: 1) { nodes { pair } } }');
  await ask('{ cryptoAssets(first: 1) { nodes { symbol } } }');
  // One over HTTP: only such replies are timed.
  app.handler(...(await overHttp()));
  return metrics();
}

async function overHttp(): Promise<
  Parameters<Awaited<ReturnType<typeof openAdmin>>['app']['handler']>
> {
  const { IncomingMessage, ServerResponse } = await import('node:http');
  const { Socket } = await import('node:net');
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'GET', url: '/health', headers: { host: 'localhost' } });
  return [request, new ServerResponse(request)];
}

const isOurs = (name: string) => /^(marketgraph|http)_/.test(name);

test('docs/metrics.md lists each metric with its kind and labels, and no other', async () => {
  const families = await openAll();
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*)\|/gm)];
  const written = new Map(
    rows.map(([, name = '', kind = '', labels = '']) => [
      name,
      { kind, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
    ]),
  );
  const ours = [...families.values()].filter(({ name }) => isOurs(name));
  expect([...written.keys()].toSorted()).toEqual(ours.map(({ name }) => name).toSorted());
  for (const { name, type } of ours) expect([name, written.get(name)!.kind]).toEqual([name, type]);
  const seen = ours.filter(({ samples }) => samples.length > 0);
  expect(seen.length).toBeGreaterThan(20);
  for (const { name, samples } of seen) {
    const labels = Object.keys(samples[0]!.labels).filter((label) => label !== 'le');
    expect([name, new Set(written.get(name)!.labels)]).toEqual([name, new Set(labels)]);
  }
});

const dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) }),
  ),
});

/** Returns the metrics that an expression names, without the suffixes of histograms. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b(?:marketgraph|http|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );

/** Metrics of the primary process; test/workers/workers.test.ts reads them. */
const OF_WORKERS = ['marketgraph_workers_up', 'marketgraph_workers_ended_total'];

test('alerts and dashboard name only metrics that exist', async () => {
  const families = await openAll();
  const expressions = dashboard
    .parse(JSON.parse(read('deploy/grafana.json')))
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = read('deploy/alerts.yml').match(/^ +expr:.*(\n +[^a-z\s].*)*/gm) ?? [];
  const named = [...expressions, ...rules].flatMap(metricsIn);
  expect(rules.length).toBeGreaterThan(6);
  expect(expressions.length).toBeGreaterThan(15);
  expect(named.filter((name) => !families.has(name) && !OF_WORKERS.includes(name))).toEqual([]);
  // A metric that nobody looks at is not needed.
  const unused = [...families.keys()].filter((name) => isOurs(name) && !named.includes(name));
  expect(unused).toEqual([]);
});

test('docs/metrics.md says what to do at each alert', () => {
  const alerts = [...read('deploy/alerts.yml').matchAll(/- alert: (\w+)/g)].map(
    ([, name = '']) => name,
  );
  const table =
    read('docs/metrics.md')
      .match(/^\| `Marketgraph.*$/gm)
      ?.join('\n') ?? '';
  const explained = [...table.matchAll(/`(Marketgraph\w+)`/g)].map(([, name = '']) => name);
  expect(explained.toSorted()).toEqual(alerts.toSorted());
});

test('an alert is raised for every reason for which a meter spends nothing', () => {
  const alerts = read('deploy/alerts.yml');
  for (const code of ['QUOTA_EXCEEDED', 'INSUFFICIENT_CREDITS', 'SPENDING_UNCERTAIN'])
    expect(alerts).toMatch(new RegExp(`sent="false",result[^}]*${code}`));
});
