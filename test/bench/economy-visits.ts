import type { Dataset, Question } from './economy-questions.ts';

/** A trace: operations of clients, and how long the gateway may treat an answer as fresh. */

/** One operation of a client, and when it is sent. */
export interface Visit {
  /** Milliseconds since the trace began. */
  at: number;
  questions: readonly Question[];
  /** Whether it is sent as a GET. */
  isGet?: boolean;
  /** Whether all pages of the question are requested: its text then contains the placeholder CURSOR. */
  isPaged?: boolean;
}

/**
 * Seconds. `settled` is for days that no longer change; in datasets of days, the others are for today, the
 * seven days before it and those to come.
 */
export type TimesToLive = Record<Dataset | 'settled', number>;

export interface Trace {
  name: string;
  /** Epoch milliseconds. */
  start: number;
  ttl: TimesToLive;
  /** In order of time. */
  visits: readonly Visit[];
}

/** The gateway's defaults. */
export const DEFAULT_TTL: TimesToLive = {
  rates: 60,
  crypto: 30,
  history: 300,
  series: 3600,
  catalog: 21_600,
  legislation: 900,
  calendar: 300,
  settled: 86_400,
};
