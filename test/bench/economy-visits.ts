import type { Dataset, Question } from './economy-questions.ts';

/** What a trace is: operations of clients, and how long the gateway may take an answer for fresh. */

/** One operation of a client, and when it is sent. */
export interface Visit {
  /** Milliseconds since the trace began. */
  at: number;
  questions: readonly Question[];
  /** Sent as a GET. */
  isGet?: boolean;
  /** The question is asked page by page, to the end: its text has the word CURSOR in it. */
  isPaged?: boolean;
}

/** Seconds; `settled`: of days that no longer change, and else of the last seven days and those to come. */
export type TimesToLive = Record<Dataset | 'settled', number>;

export interface Trace {
  name: string;
  /** Epoch milliseconds. */
  start: number;
  ttl: TimesToLive;
  /** In order of time. */
  visits: readonly Visit[];
}

/** The gateway's own. */
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
