import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createThrottle, type Throttle } from './throttle.ts';

/**
 * Logs upstream requests that failed: one line a minute for each dataset and code, with the number of failures
 * since the previous line. Requests that were not sent are told apart by their code alone, since all datasets
 * of a meter fail together; each of them also has a line at level debug.
 */
interface FailureLog extends Pick<Throttle<RequestEnd>, 'reportCounted'> {
  note(end: RequestEnd): void;
}

export function createFailureLog(log: Logger, monotonic: Clock): FailureLog {
  let isCostLogged = false;
  const { note, reportCounted } = createThrottle<RequestEnd>(monotonic, (end, count) => {
    const { dataset, meter, result: code, cause, status, wasSent, durationMs } = end;
    if (!wasSent)
      return log.warn({ dataset, meter, code, count }, 'an upstream request was not sent');
    const about = { dataset, code, status, cause, durationMs: Math.round(durationMs), count };
    log.warn(about, 'an upstream request failed');
  });

  /** Logs an implausible cost, only once. */
  function logCost({ dataset, implausibleUnits: stated }: RequestEnd): void {
    if (stated === undefined || isCostLogged) return;
    isCostLogged = true;
    log.warn(
      { dataset, stated },
      'an answer states a cost above MAX_UNITS_PER_REQUEST: it counts as one unit',
    );
  }

  return {
    reportCounted,
    note(end) {
      const { dataset, meter, result: code, wasSent } = end;
      logCost(end);
      if (code === 'ok') return;
      if (wasSent) return note(`${dataset} ${code}`, end);
      log.debug({ dataset, meter, code }, 'an upstream request was not sent');
      // A limit of one operation is reported by the operation that has reached it, once.
      if (code !== 'UPSTREAM_BUDGET_EXCEEDED') note(code, end);
    },
  };
}
