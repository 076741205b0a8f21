import { readdirSync, readFileSync } from 'node:fs';

/** The ready-made operations of src/operations: [name of the file, text]. */

const FOLDER = new URL('../src/operations/', import.meta.url);

const all = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.graphql'))
  .map((name): [string, string] => [name, readFileSync(new URL(name, FOLDER), 'utf8')]);

export const isSubscription = (text: string): boolean => /^subscription\b/m.test(text);

export const QUERIES = all.filter(([, text]) => !isSubscription(text));
export const SUBSCRIPTIONS = all.filter(([, text]) => isSubscription(text));

/** What a file's first line says that the operation costs at most. */
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
