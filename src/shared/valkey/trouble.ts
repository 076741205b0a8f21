import type { OnTrouble } from '../trouble.ts';

export interface Trouble {
  note(reason: string): void;
  end(): void;
  /** Whether it was reported and still lasts, i.e. was noted within the last minute. */
  isReported(): boolean;
  /** The reason that was noted last, if it is not over. */
  reason(): string | undefined;
}

/** How long trouble must last before it is reported. */
const REPORT_AFTER_MS = 1000;
const LASTS_MS = 60_000;

/** Reports trouble once it has lasted for a while, other reasons that have lasted as long, and when it is over. */
export function createTrouble({ begins, goesOn, ends }: OnTrouble): Trouble {
  let since: number | undefined;
  let notedAt = -Infinity;
  let last: { reason: string; since: number } | undefined;
  const reported = new Set<string>();

  function report(reason: string): void {
    const isFirst = reported.size === 0;
    reported.add(reason);
    if (isFirst) begins(reason);
    else goesOn?.(reason);
  }

  return {
    note(reason) {
      notedAt = performance.now();
      since ??= notedAt;
      if (last?.reason !== reason) last = { reason, since: notedAt };
      const lastsSince = reported.size === 0 ? since : last.since;
      if (!reported.has(reason) && notedAt - lastsSince >= REPORT_AFTER_MS) report(reason);
    },
    end() {
      if (reported.size > 0) ends();
      reported.clear();
      since = last = undefined;
    },
    isReported: () => reported.size > 0 && performance.now() - notedAt < LASTS_MS,
    reason: () => last?.reason,
  };
}

/** Reports several troubles as one, which begins with the first of them and ends with the last. */
export function reportAsOne({ begins, ends }: OnTrouble): OnTrouble {
  let lasting = 0;
  return {
    begins(reason) {
      lasting += 1;
      if (lasting === 1) begins(reason);
    },
    ends() {
      lasting -= 1;
      if (lasting === 0) ends();
    },
  };
}
