import { z } from 'zod';
import { originOf } from '../config/lists.ts';
import { parseEditedJson } from '../json.ts';
import { METERS } from '../meters.ts';
import { PRIORITIES, type Priority } from '../spending/priority.ts';
import type { Budget } from '../usage/units.ts';
import { containsKey } from './key-shape.ts';

/** A client that may send operations, and its limits. Undefined: it has no such limit of its own. */
export interface Client {
  readonly name: string;
  /** SHA-256 digests in hex, lower case; the newest key's is the last. */
  readonly keys: readonly string[];
  readonly persistedOnly: boolean;
  readonly maxUnitsPerOperation: number | undefined;
  readonly budgets: readonly Budget[];
  readonly operationsPerMinute: number | undefined;
  /** As browsers write them; `*` for all. */
  readonly origins: readonly string[] | undefined;
  readonly priority: Priority;
}

/** The content of CLIENTS_FILE, as it is written there. */
export type ClientsContent = z.input<typeof content>;

const DIGEST_PREFIX = 'sha256:';

/** Lists values with "or". An Intl.ListFormat would load its locale at each start. */
const anyOf = (values: readonly string[]) =>
  `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
const must = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'is missing' : `must be ${what}`,
});
const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values, must(anyOf(values)));
const wholeNumber = (min: number) => {
  const problem = must(`a whole number of ${min} or more`);
  return z.int(problem).min(min, problem);
};
/** Largest integer in a header field (RFC 9651 section 3.3.1), where clients are told their limit. */
const MAX_HEADER_INTEGER = 999_999_999_999_999;
const listOf = <T extends z.ZodType>(entry: T, what: string) =>
  z.array(entry, must(`a list of ${what}`));

const name = z
  .string(must('a string'))
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, _ or -')
  .refine((text) => !containsKey(text), 'must not contain a key');
const digest = z
  .string(must('a string'))
  .regex(/^sha256:[0-9a-f]{64}$/i, {
    error: ({ input }) =>
      containsKey(String(input))
        ? 'must be the digest of a key, not the key itself'
        : 'must be sha256: and 64 hex digits',
  })
  .transform((written) => written.slice(DIGEST_PREFIX.length).toLowerCase());
const meter = oneOf(METERS.map((one) => one.toUpperCase())).transform((written) =>
  METERS.find((one) => one.toUpperCase() === written)!,
);
const origin = z.string(must('a string')).transform((written, context) => {
  const read = originOf(written);
  if (read === undefined) context.addIssue('must be an origin such as https://a.example, or *');
  return read ?? z.NEVER;
});
const budget = z.strictObject(
  { meter, window: oneOf(['DAY', 'MONTH']), limit: wholeNumber(0) },
  must('an object'),
);

const client = z
  .strictObject(
    {
      name,
      keys: listOf(digest, 'digests').min(1, 'must hold at least one digest'),
      persistedOnly: z.boolean(must('true or false')).default(false),
      maxUnitsPerOperation: wholeNumber(0).optional(),
      budgets: listOf(budget, 'budgets').superRefine(refuseSecondBudgets).default([]),
      operationsPerMinute: wholeNumber(1)
        .max(MAX_HEADER_INTEGER, `must be at most ${MAX_HEADER_INTEGER}`)
        .optional(),
      origins: listOf(origin, 'origins').optional(),
      priority: oneOf(PRIORITIES).default('NORMAL'),
    },
    must('an object'),
  )
  // All clients have all fields, with undefined for those that are not set.
  .transform(({ maxUnitsPerOperation, operationsPerMinute, origins, ...others }): Client => {
    return { ...others, maxUnitsPerOperation, operationsPerMinute, origins };
  });
const content = z.strictObject(
  { clients: listOf(client, 'clients').superRefine(refuseSharedNamesAndKeys) },
  must('an object with a list "clients"'),
);

type Refusals = z.RefinementCtx;

function refuseSecondBudgets(budgets: readonly Budget[], context: Refusals): void {
  const seen = new Set<string>();
  for (const [index, { meter: of, window }] of budgets.entries()) {
    const message = `is a second budget of ${of.toUpperCase()} for a ${window}`;
    if (seen.has(of + window)) context.addIssue({ code: 'custom', path: [index], message });
    seen.add(of + window);
  }
}

/** Refuses names and keys that occur twice: a key tells whose request it is. */
function refuseSharedNamesAndKeys(clients: readonly Client[], context: Refusals): void {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const [index, { name: own, keys }] of clients.entries()) {
    const label = `clients[${index}] (${own})`;
    const refuse = (path: PropertyKey[], owner: string | undefined) => {
      const message = owner === label ? 'is listed twice' : `is also that of ${owner}`;
      if (owner) context.addIssue({ code: 'custom', path: [index, ...path], message });
    };
    refuse(['name'], names.get(own));
    names.set(own, label);
    for (const [position, key] of keys.entries()) {
      refuse(['keys', position], owners.get(key));
      owners.set(key, label);
    }
  }
}

/**
 * Reads the text of CLIENTS_FILE. Never throws. Each problem names the client and the field, and repeats
 * no value; if there is one, no clients are returned.
 */
export function readClients(text: string): { clients: Client[]; problems: string[] } {
  const written = parseEditedJson(text);
  if (written === undefined) return { clients: [], problems: ['is not JSON'] };
  const { success, data, error } = content.safeParse(written);
  if (success) return { clients: data.clients, problems: [] };
  return { clients: [], problems: error.issues.flatMap(issuesOf).map(labeled(written)) };
}

const named = z.object({ name });
const listed = z.object({ clients: z.array(z.unknown()) });

/** E.g. `clients[1] (mobile-app): budgets[0].meter: must be FX, MACRO or CREDITS`. */
const labeled =
  (written: unknown) =>
  ({ path, message }: Issue): string => {
    const [list, index, ...field] = path;
    if (list !== 'clients' || typeof index !== 'number') return lineOf(path, message);
    const known = named.safeParse(listed.parse(written).clients[index]).data;
    const label = known ? `clients[${index}] (${known.name})` : `clients[${index}]`;
    return `${label}: ${lineOf(field, message)}`;
  };

/** Returns what is wrong with a client that is not in the file yet, as `field: problem`. */
export function problemsOf(one: unknown): string[] {
  const issues = client.safeParse(one).error?.issues ?? [];
  return issues.flatMap(issuesOf).map(({ path, message }) => lineOf(path, message));
}

/** Returns problems in one line: the first, and how many more there are. Undefined if there are none. */
export function inOneLine([first, ...others]: readonly string[]): string | undefined {
  return others.length > 0 ? `${first} (and ${others.length} more)` : first;
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

/** Reports an unknown field as a problem of its own, not of the object that it is in. */
function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: 'is not a known field',
  }));
}

/** E.g. `budgets[0].meter: must be FX, MACRO or CREDITS`, in one line whatever the fields are called. */
function lineOf(path: readonly PropertyKey[], message: string): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    // Keys are never repeated, not even one that was pasted in the wrong place.
    if (containsKey(String(step))) return '[a key]';
    return /^[\w-]+$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(step)}]`;
  });
  const field = steps.join('').replace(/^\./, '');
  return field ? `${field}: ${message}` : message;
}
