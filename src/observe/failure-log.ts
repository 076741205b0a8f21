import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createThrottle, type Throttle } from './throttle.ts';

/**
 * Logs upstream requests that failed: one line a minute for each dataset and code, with the number of failures
 * since the previous line. Requests that were not sent are told apart by their code alone, since all datasets
 * of a meter fail together, and by the client if it is the client's own limit; each of them also has a line at
 * level debug.
 */
interface FailureLog extends Pick<Throttle<RequestEnd>, 'reportCounted'> {
  note(end: RequestEnd): void;
}

export function createFailureLog(log: Logger, monotonic: Clock): FailureLog {
  let isCostLogged = false;
  const { note, reportCounted } = createThrottle<RequestEnd>(monotonic, (end, count) => {
    const { dataset, result: code, cause, status, wasSent, durationMs } = end;
    if (!wasSent) return log.warn({ ...unsent(end), count }, 'an upstream request was not sent');
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
      const { dataset, result: code, wasSent } = end;
      logCost(end);
      if (code === 'ok') return;
      if (wasSent) return note(`${dataset} ${code}`, end);
      const about = unsent(end);
      log.debug(about, 'an upstream request was not sent');
      // A limit of one operation is reported by the operation that has reached it, once.
      if (code !== 'UPSTREAM_BUDGET_EXCEEDED') note(`${code} ${about.client ?? ''}`, end);
    },
  };
}

/** Refusals that concern one client only, which the line names. */
const OF_ONE_CLIENT: readonly RequestEnd['result'][] = [
  'CLIENT_BUDGET_EXCEEDED',
  'UNAUTHENTICATED',
];

const unsent = ({ dataset, meter, result: code, client }: RequestEnd) => ({
  dataset,
  meter,
  code,
  client: OF_ONE_CLIENT.includes(code) ? client : undefined,
});
