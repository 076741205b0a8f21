import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { withoutBrackets } from './loopback.ts';
import { isTimezone, MAX_TIMER_MS } from '../time.ts';

/** Checks of single variables. */

/** Checks one variable. Throws ConfigError. */
export type Read = <T>(variable: string, type: z.ZodType<T>) => T;

export const isProduction = (read: Read) => read('NODE_ENV', text.optional()) === 'production';

/** Maximum number of seconds: practically forever, but still a finite number. */
const MAX_SECONDS = 1e15;

/** `21.600` is twenty-one thousand in many countries, and `Number` would take it for less than 22. */
const secondsInDigits = z
  .string()
  .regex(/^[+-]?(\d+\.?\d*|\.\d+)(e\d+)?$/i, 'must be a number of seconds')
  .refine(
    (written) => !/^[1-9]\d{0,2}\.\d{3}$/.test(written),
    'could be read in two ways: write thousands without a point, and fractions with fewer or more digits',
  )
  .transform(Number);

export const seconds = (fallback: number) =>
  secondsInDigits
    .pipe(
      z
        .number()
        .nonnegative('must not be negative')
        .max(MAX_SECONDS, `must be at most ${MAX_SECONDS}`),
    )
    .default(fallback)
    .transform((value) => Math.round(value * 1000));

export const text = z.string();
/** A folder that is made if there is none: `~/data` would be made in the current one. */
export const folder = text.refine(
  (path) => !path.startsWith('~'),
  'must not begin with ~, which only a shell replaces: write the whole path',
);
export const hostAddress = text.transform(withoutBrackets);
const WHOLE_PROBLEM = 'must be a whole number, in digits only';
/** A whole number in digits. `Number` would take `10.000`, which is ten thousand in many countries, for 10. */
export const whole = (rules: z.ZodNumber) =>
  z
    .string()
    .regex(/^[+-]?\d+$/, WHOLE_PROBLEM)
    .transform(Number)
    .pipe(rules.int(WHOLE_PROBLEM));
const anyCount = z.number().nonnegative('must not be negative');
const anyPositive = z.number().positive('must be at least 1');
export const count = whole(anyCount);
export const positive = whole(anyPositive);
const TIMER_PROBLEM = `must be at most ${MAX_TIMER_MS}`;
/** Durations of timers in milliseconds; `pauseMs` may be 0 for no pause. */
export const milliseconds = whole(anyPositive.max(MAX_TIMER_MS, TIMER_PROBLEM));
export const pauseMs = whole(anyCount.max(MAX_TIMER_MS, TIMER_PROBLEM));
const PORT_PROBLEM = 'must be 0 to 65535';
export const port = whole(z.number().min(0, PORT_PROBLEM).max(65_535, PORT_PROBLEM));
/** Maximum number of workers: more would be a mistake, since no machine has so many cores to spare. */
const MAX_WORKERS = 256;
const WORKERS_PROBLEM = `must be 1 to ${MAX_WORKERS}, or auto`;
/** `auto`: as many as this machine, or the container's share of it, can run in parallel. */
const workers = z.union(
  [
    z.literal('auto').transform(() => Math.min(availableParallelism(), MAX_WORKERS)),
    whole(z.number().min(1, WORKERS_PROBLEM).max(MAX_WORKERS, WORKERS_PROBLEM)),
  ],
  WORKERS_PROBLEM,
);
/** The number of workers. Several that shared no stored answers would each request all of them upstream. */
export const workersFor = (keptMaxBytes: number) =>
  workers.refine(
    (wanted) => wanted === 1 || keptMaxBytes > 0,
    'several workers share stored answers, which KEPT_MAX_BYTES=0 turns off: raise it, or set WORKERS=1',
  );
export const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1');
export const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });
/** Normalizes an upstream address: what processes share is filed under it, so each address needs one spelling. */
const normalizeAddress = (value: string) => {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
};
/** Base URL of an upstream. What follows its path or precedes its host would be dropped. No error repeats it. */
export const baseUrl = url
  .refine(
    (value) => !/[?#]|^\w+:[/\\]*[^/\\]*@/.test(value),
    'must not contain a query string, fragment, user or password',
  )
  .transform(normalizeAddress);
export const key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII characters without spaces');
export const timezone = z.string().refine(isTimezone, 'must be an IANA time zone');
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const logLevel = z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`);
