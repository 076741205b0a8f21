import {
  type Answer,
  type Estimate,
  METERS,
  type MeterName,
  type Problem,
  type Units,
  type Usage,
} from './document.ts';
import { dateAndTime } from './format.ts';

/** What things cost, in words. */

export const NAMES: Record<MeterName, readonly [one: string, many: string]> = {
  fx: ['FX unit', 'FX units'],
  macro: ['macro unit', 'macro units'],
  credits: ['credit', 'credits'],
};

export const numbers = new Intl.NumberFormat('en-US');

const count = (n: number, [one, many]: readonly [string, string]) =>
  `${numbers.format(n)} ${n === 1 ? one : many}`;

const total = (units: Units) => METERS.reduce((sum, meter) => sum + units[meter], 0);

/** `1 FX unit, up to 2 credits`; empty if nothing is spent. */
export function unitsInWords({ least, most }: Estimate): string {
  return METERS.filter((meter) => most[meter] > 0)
    .map((meter) => {
      const amount = count(most[meter], NAMES[meter]);
      if (least[meter] === most[meter]) return amount;
      return least[meter] === 0 ? `up to ${amount}` : `${least[meter]} to ${amount}`;
    })
    .join(', ');
}

/** For a button: `2 FX units`, or the sum of units if several meters are used. */
export function unitsInBrief(estimate: Estimate): string {
  const { least, most } = estimate;
  if (METERS.filter((meter) => most[meter] > 0).length < 2)
    return unitsInWords(estimate) || 'costs 0';
  const range = total(least) === total(most) ? '' : `${total(least)} to `;
  return `${range}${total(most)} units`;
}

/** The price in a few letters, for the gutter. */
export function unitsInShort(estimate: Estimate): string {
  const spent = METERS.filter((meter) => estimate.most[meter] > 0);
  if (spent.length === 0) return 'free';
  return spent
    .map((meter) => {
      const { least, most } = estimate;
      const range = least[meter] === most[meter] ? '' : '≤';
      return `${range}${most[meter]} ${meter === 'credits' ? 'cr' : meter === 'fx' ? 'FX' : 'mac'}`;
    })
    .join(' ');
}

/** What an operation will cost. `freshSeconds`: how long an earlier answer to it was fresh, if that is known. */
export function priceInWords(estimate: Estimate, freshSeconds: number | undefined): string {
  if (total(estimate.most) === 0) return 'Costs nothing now: everything is cached.';
  const again =
    freshSeconds === undefined
      ? 'Asking again right away'
      : `Asking again within ${seconds(freshSeconds)}`;
  return `Asks the upstream: ${unitsInWords(estimate)}. ${again} costs nothing.`;
}

/** GraphQL's own messages in plainer words, for people who do not know GraphQL. */
const PLAINER: readonly (readonly [RegExp, string])[] = [
  [
    /^Syntax Error: .*found <EOF>\.$/,
    'The query ends too early: something is not closed, such as a brace.',
  ],
  [
    /^Syntax Error: Unexpected character: U\+20(1[89C-F]|3[2-7])\.$/,
    'A curly quotation mark is in the query: it needs straight ones.',
  ],
  [
    /^Variable "(\$\w+)" has invalid value: Expected a value of non-null type "([^"]+)!" to be provided\.$/,
    'The variable $1 is missing: it needs a value of type $2.',
  ],
  [/^Cannot query field "(\w+)" on type "(\w+)"\./, '$2 has no field $1.'],
];

/** What is wrong. An instant in the message is given on this machine's clock. */
export function problemInWords({ message, extensions, locations }: Problem): string {
  const until = extensions?.resetsAt;
  if (until !== undefined) return message.replace(until, dateAndTime(Date.parse(until)));
  const [pattern, words] = PLAINER.find(([each]) => each.test(message)) ?? [];
  const text = pattern && words ? message.replace(pattern, words) : message;
  const line = message.startsWith('Syntax Error') ? locations?.[0]?.line : undefined;
  return line === undefined ? text : `${text.replace(/\.$/, '')} (line ${line}).`;
}

/** Why a part of the operation would be refused: a dry run says so beside what the rest would cost. */
export function refusalIn({ errors = [] }: Answer): string | undefined {
  return errors[0] && problemInWords(errors[0]).replace(/\.$/, '');
}

/** What an operation did cost. */
export function costInWords(usage: Usage): string {
  const used = Object.fromEntries(METERS.map((meter) => [meter, usage[meter].used])) as Units;
  const { cacheHits, coalesced, stale } = usage.upstream;
  const spent = unitsInWords({ least: used, most: used });
  const parts = [spent === '' ? 'Cost nothing' : `Cost ${spent}`];
  if (cacheHits > 0) parts.push(`${count(cacheHits, ['part', 'parts'])} from the cache`);
  if (coalesced > 0)
    parts.push(
      `${count(coalesced, ['part', 'parts'])} shared with operations run at the same time`,
    );
  if (stale > 0)
    parts.push(
      `${count(stale, ['part is', 'parts are'])} stale, since newer data could not be fetched`,
    );
  return parts.join(' · ');
}

/** `41 s`, `12 min`, `3 h`. */
export function seconds(value: number): string {
  if (value < 100) return `${Math.max(0, Math.round(value))} s`;
  if (value < 5400) return `${Math.round(value / 60)} min`;
  return value < 172_800 ? `${Math.round(value / 3600)} h` : `${Math.round(value / 86_400)} days`;
}
