/** A strict reader of Prometheus' text format (version 0.0.4). Throws for any violation. */

export interface Family {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: Family | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (!NAME.test(name) || families.has(name)) throw new Error(`HELP again: ${line}`);
      current = { name, help: rest, type: '', samples: [] };
      families.set(name, current);
    } else if (kind === 'TYPE') {
      if (current?.name !== name || current.type !== '' || !TYPES.includes(rest))
        throw new Error(`TYPE not after its HELP: ${line}`);
      current.type = rest;
    } else {
      const sample = readSample(line);
      if (!current?.type || !isOf(sample, current)) throw new Error(`not of its family: ${line}`);
      const series = keyOf(sample);
      if (seen.has(series)) throw new Error(`twice: ${line}`);
      seen.add(series);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function readSample(line: string): Sample {
  const [, name = '', , body = '', value = ''] =
    /^([^\s{]+)(\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)$/.exec(line) ?? [];
  // Numbers are what Go parses as such: NaN in any letter case.
  const isNaN = value.toLowerCase() === 'nan';
  const number = Number(value.replace(/^([+-])Inf$/, '$1Infinity'));
  if (!NAME.test(name) || value === '' || (Number.isNaN(number) && !isNaN))
    throw new Error(`no sample: ${line}`);
  return { name, labels: readLabels(body, line), value: number };
}

function readLabels(body: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const one = /([^=,]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;
  while (one.lastIndex < body.length) {
    const [, name = '', value = ''] = one.exec(body) ?? [];
    if (!LABEL.test(name) || name.startsWith('__') || name in labels)
      throw new Error(`no labels: ${line}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_all, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

const keyOf = ({ name, labels }: Sample) => `${name} ${inOrder(labels)}`;

const inOrder = (labels: Record<string, string>) =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function isOf({ name }: Sample, { name: family, type }: Family): boolean {
  const endings = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };
  const allowed = endings[type as keyof typeof endings] ?? [''];
  return allowed.some((ending) => name === family + ending);
}

function checkFamily(family: Family): void {
  const { name, help, type, samples } = family;
  const fail = (problem: string) => new Error(`${name}: ${problem}`);
  if (help.trim() === '' || type === '') throw fail('without HELP or TYPE');
  // Some of Node's own gauges end in _total, too.
  if (type === 'counter' && !name.endsWith('_total')) throw fail('counters end in _total');
  for (const { value } of samples)
    if (type === 'counter' && !(value >= 0)) throw fail('a counter below zero');
  if (type !== 'histogram') return;
  const bySeries = Map.groupBy(samples, ({ labels: { le: _le, ...others } }) => inOrder(others));
  for (const series of bySeries.values()) checkHistogram(name, series, fail);
}

function checkHistogram(name: string, series: readonly Sample[], fail: (why: string) => Error) {
  const of = (ending: string) => series.filter((one) => one.name === name + ending);
  const [buckets, sums, counts] = [of('_bucket'), of('_sum'), of('_count')];
  const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('+Inf', 'Infinity')));
  if (sums.length !== 1 || counts.length !== 1) throw fail('one _sum and one _count');
  if (bounds.at(-1) !== Infinity) throw fail('the last bucket is +Inf');
  for (let i = 1; i < buckets.length; i += 1) {
    if (!(bounds[i]! > bounds[i - 1]!)) throw fail('bounds in order');
    if (buckets[i]!.value < buckets[i - 1]!.value) throw fail('buckets hold those below them');
  }
  if (buckets.at(-1)!.value !== counts[0]!.value) throw fail('+Inf is the count');
}
