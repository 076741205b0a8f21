import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createRepeats, type Repeats } from './repeats.ts';

/**
 * Logs upstream requests that failed: one line a minute for each dataset and code, with the number of failures
 * since the previous line. Requests that were not sent are told apart by their code alone, since all datasets
 * of a meter fail together; each of them also has a line at level debug.
 */
export interface FailureLog extends Pick<Repeats<RequestEnd>, 'tellCounted'> {
  note(end: RequestEnd): void;
}

export function createFailureLog(log: Logger, monotonic: Clock): FailureLog {
  let isCostTold = false;
  const { note, tellCounted } = createRepeats<RequestEnd>(monotonic, (end, count) => {
    const { dataset, meter, result: code, cause, status, wasSent, durationMs } = end;
    if (!wasSent)
      return log.warn({ dataset, meter, code, count }, 'an upstream request was not sent');
    const about = { dataset, code, status, cause, durationMs: Math.round(durationMs), count };
    log.warn(about, 'an upstream request failed');
  });

  /** Logs an implausible cost, only once. */
  function tellCost({ dataset, implausibleUnits: stated }: RequestEnd): void {
    if (stated === undefined || isCostTold) return;
    isCostTold = true;
    log.warn(
      { dataset, stated },
      'an answer states more than MAX_UNITS_PER_REQUEST: it counts as one unit',
    );
  }

  return {
    tellCounted,
    note(end) {
      const { dataset, meter, result: code, wasSent } = end;
      tellCost(end);
      if (code === 'ok') return;
      if (wasSent) return note(`${dataset} ${code}`, end);
      log.debug({ dataset, meter, code }, 'an upstream request was not sent');
      // A limit of one operation is reported by the operation that has reached it, once.
      if (code !== 'UPSTREAM_BUDGET_EXCEEDED') note(code, end);
    },
  };
}
