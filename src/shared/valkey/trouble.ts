import type { OnTrouble } from '../trouble.ts';

export interface Trouble {
  note(reason: string): void;
  end(): void;
  /** Whether it was reported and still lasts, i.e. was noted within the last minute. */
  isReported(): boolean;
}

/** How long trouble must last before it is reported. */
const REPORT_AFTER_MS = 1000;
const LASTS_MS = 60_000;

/** Reports trouble once it has lasted for a while, and when it is over. */
export function createTrouble({ begins, ends }: OnTrouble): Trouble {
  let since: number | undefined;
  let notedAt = -Infinity;
  let isReported = false;
  return {
    note(reason) {
      notedAt = performance.now();
      since ??= notedAt;
      if (isReported || performance.now() - since < REPORT_AFTER_MS) return;
      isReported = true;
      begins(reason);
    },
    end() {
      if (isReported) ends();
      isReported = false;
      since = undefined;
    },
    isReported: () => isReported && performance.now() - notedAt < LASTS_MS,
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
