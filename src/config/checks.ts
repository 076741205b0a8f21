import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isTimezone } from '../time.ts';

/** Checks of single variables. */

/** Checks one variable. Throws ConfigError. */
export type Read = <T>(variable: string, type: z.ZodType<T>) => T;

/** For ever, and a number that can be counted with. */
const MOST_SECONDS = 1e15;

export const seconds = (fallback: number) =>
  z.coerce
    .number('must be a number of seconds')
    .nonnegative('must not be negative')
    .max(MOST_SECONDS, `must be at most ${MOST_SECONDS}`)
    .default(fallback)
    .transform((value) => Math.round(value * 1000));

export const text = z.string();
export const whole = z.coerce.number('must be a number').int('must be a whole number');
export const count = whole.nonnegative('must not be negative');
export const positive = whole.positive('must be at least 1');
/** A timer that waits longer goes off at once. */
const MOST_MS = 2 ** 31 - 1;
const AT_MOST = `must be at most ${MOST_MS}`;
/** Durations of timers; `pauseMs` may be 0: no waiting. */
export const milliseconds = positive.max(MOST_MS, AT_MOST);
export const pauseMs = count.max(MOST_MS, AT_MOST);
export const port = whole.min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535');
/** More would be a mistake: no machine has so many cores to spare. */
const MOST_PROCESSES = 256;
/** `auto`: as many as this machine, or the container's share of it, runs at a time. */
const PROCESSES = `must be 1 to ${MOST_PROCESSES}, or auto`;
const processes = z.union(
  [
    z.literal('auto').transform(() => Math.min(availableParallelism(), MOST_PROCESSES)),
    z.coerce.number().int(PROCESSES).min(1, PROCESSES).max(MOST_PROCESSES, PROCESSES),
  ],
  PROCESSES,
);
/** Several that share no answers would each ask the upstream for all of them. */
export const processesWith = (keptMaxBytes: number) =>
  processes.refine(
    (wanted) => wanted === 1 || keptMaxBytes > 0,
    'several share what they keep, and KEPT_MAX_BYTES=0 keeps nothing: raise that, or set WORKERS=1',
  );
export const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1');
export const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });
/** What processes share goes by the addresses of the upstream: each has one spelling. */
const inOneSpelling = (value: string) => {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
};
/** Of an upstream: what follows its path, or stands before its host, would be dropped. The message repeats none of it. */
export const baseUrl = url
  .refine(
    (value) => !/[?#]|^\w+:[/\\]*[^/\\]*@/.test(value),
    'must have no query string, fragment, user or password',
  )
  .transform(inOneSpelling);
export const key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces');
export const timezone = z.string().refine(isTimezone, 'must be an IANA time zone');
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const logLevel = z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`);
