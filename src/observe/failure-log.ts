import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createRepeats, type Repeats } from './repeats.ts';

/**
 * Lines about upstream requests that failed: one for each dataset and code in a minute, with the number of
 * those since the line before. Those that were not sent are told apart by their code alone, since all
 * datasets of a meter fail together; each of them has a line at level debug, too.
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

  /** Once in all. */
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
      // The cap of requests is told by the operation that has reached it, once.
      if (code !== 'UPSTREAM_BUDGET_EXCEEDED') note(code, end);
    },
  };
}
