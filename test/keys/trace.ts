import { createHash } from 'node:crypto';
import { METERS } from '../../src/meters.ts';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import type { SpentLine } from '../../src/shared/units.ts';
import type { Draw } from '../bench/economy-random.ts';
import type { Gateway } from '../harness.ts';
import { type Keys, post } from './clients.ts';

/** A trace of several clients: hits, joins, stale data, failures and retries, and what each answer says it has cost. */

export const HOUR_MS = 3_600_000;

const FIELDS = [
  'fxRates(filter: { quote: "TRY" }) { totalCount }',
  ...['USDTRY', 'EURTRY', 'GBPTRY'].map(
    (pair) => `fxRate(pair: "${pair}") { mid history(start: "2025-02-01") { change } }`,
  ),
  ...['TP.DK.USD.A', 'TP.FG.J0'].map(
    (code) => `macroSeries(code: "${code}") { name observations { change } }`,
  ),
  'macroCatalog(filter: { search: "faiz" }) { totalCount }',
  'legislationChanges(filter: { start: "2026-11-01", institution: "tbmm" }) { totalCount }',
  'calendarEvents(filter: { start: "2026-11-01" }) { totalCount }',
  'cryptoAssets(first: 10) { nodes { price priceIn(convert: TRY) } }',
  'cryptoAsset(symbol: "ORBN", convert: EUR) { price }',
];

/** Draws a question that has rarely been asked before, and that often matches nothing. */
const drawRareQuestion = (draw: Draw) =>
  `legislationChanges(filter: { search: "${draw.among(['vergi', 'kanun', 'zz'])} ${draw.whole(40)}" }) { totalCount }`;

/**
 * Draws an operation: with a name, without one, or one of several in a text. `operation` is what its units are
 * attributed to.
 */
function drawOperation(draw: Draw) {
  const drawField = () => (draw.chance(0.1) ? drawRareQuestion(draw) : draw.among(FIELDS));
  const fields = Array.from({ length: 1 + draw.whole(3) }, drawField);
  const selection = `{ ${fields.map((field, i) => `f${i}: ${field}`).join(' ')} }`;
  const name = `Page${draw.whole(4)}`;
  const kind = draw.whole(3);
  if (kind === 0) return { query: `query ${name} ${selection}`, operation: name };
  if (kind === 1) {
    const query = `query Other { __typename } query ${name} ${selection}`;
    return { query, operationName: name, operation: name };
  }
  const digest = createHash('sha256').update(selection).digest('hex');
  return { query: selection, operation: digest.slice(0, 12) };
}

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'status', status: 404 },
  { kind: 'reset' },
  { kind: 'reset-mid-body' },
  { kind: 'not-json' },
  { kind: 'delay', delayMs: 20 },
];

/** Counts of what has happened in a trace, by name. */
export type Happened = Record<string, number>;

export interface Trace {
  /** Units by `client operation hour meter`, as the answers say. */
  reported: Happened;
  /** Counts by what answers say of the upstream, and by codes of errors. */
  happened: Happened;
}

const AT_ONCE = 16;
const PAUSES_MS = [0, 200, 1500, 4000, 20 * 60_000];

function add(sums: Happened, name: string, units: number): void {
  if (units !== 0) sums[name] = (sums[name] ?? 0) + units;
}

/** Lets clients ask at any of the gateways, many at a time; time passes between two such moments. */
export async function runTrace(
  { bench, keyOf, headersOf }: Keys,
  gateways: readonly Gateway[],
  draw: Draw,
  moments: number,
): Promise<Trace> {
  const trace: Trace = { reported: {}, happened: {} };
  const clients = Object.keys(keyOf);
  const askOne = async () => {
    const client = draw.among(clients);
    const { operation, ...sent } = drawOperation(draw);
    const hour = Math.floor(bench.clock.now() / HOUR_MS);
    const init = { ...post('', headersOf(client)), body: JSON.stringify(sent) };
    const { extensions, errors } = await draw.among(gateways).send(init);
    const { usage } = extensions;
    for (const meter of METERS)
      add(trace.reported, `${client} ${operation} ${hour} ${meter}`, usage[meter].used);
    for (const [name, count] of Object.entries(usage.upstream)) add(trace.happened, name, count);
    for (const { extensions: details } of errors) add(trace.happened, details.code, 1);
  };
  for (let step = 0; step < moments; step += 1) {
    bench.sandbox.clearFaults();
    if (draw.chance(0.5)) bench.sandbox.fault({ ...draw.among(FAULTS), times: 1 + draw.whole(3) });
    await Promise.all(Array.from({ length: AT_ONCE }, askOne));
    bench.clock.advance(draw.among(PAUSES_MS));
  }
  return trace;
}

/** Returns the units of lines by the name that `nameOf` gives each of them. */
export function sumOf(lines: readonly SpentLine[], nameOf: (line: SpentLine) => string): Happened {
  const sums: Happened = {};
  for (const line of lines) add(sums, nameOf(line), line.units);
  return sums;
}

/** Which dataset an upstream path belongs to. */
const DATASETS = [
  [/^\/v1\/fx\/rates\/.+\/history/, 'fx history'],
  [/^\/v1\/fx\/rates/, 'fx rates'],
  [/^\/v1\/macro\/catalog/, 'macro catalog'],
  [/^\/v1\/macro\/series/, 'macro series'],
  [/^\/legislation/, 'legislation'],
  [/^\/calendar/, 'calendar'],
  [/^\/crypto/, 'crypto'],
] as const;

/** Returns units by `dataset hour`, as the upstream has counted them. */
export function chargedBy({ sandbox }: Keys['bench']): Happened {
  const sums: Happened = {};
  for (const { path, cost, at } of sandbox.requests()) {
    const dataset = DATASETS.find(([pattern]) => pattern.test(path))?.[1] ?? path;
    add(sums, `${dataset} ${Math.floor(at / HOUR_MS)}`, cost);
  }
  return sums;
}
