import { readdirSync, readFileSync } from 'node:fs';

/** The ready-made operations of src/operations: [file name, text]. */

const FOLDER = new URL('../src/operations/', import.meta.url);

const all = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.graphql'))
  .map((name): [string, string] => [name, readFileSync(new URL(name, FOLDER), 'utf8')]);

export const isSubscription = (text: string): boolean => /^subscription\b/m.test(text);

export const QUERIES = all.filter(([, text]) => !isSubscription(text));
export const SUBSCRIPTIONS = all.filter(([, text]) => isSubscription(text));

/** Returns the maximum cost that a file's first line states. */
export function promisedCost(text: string) {
  const [comment = ''] = text.split('\n', 1);
  if (!/^# .+ Costs (nothing|at most .+)\.$/.test(comment)) throw new Error(`no price: ${comment}`);
  const units = (pattern: RegExp) => Number(pattern.exec(comment)?.[1] ?? 0);
  return {
    fx: units(/(\d+) (?:units? )?of FX quota/),
    macro: units(/(\d+) (?:units? )?of macro quota/),
    credits: units(/(\d+) credits?/),
  };
}
