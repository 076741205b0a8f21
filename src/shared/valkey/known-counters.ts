import { DAY_MS } from '../../time.ts';
import { COUNTER_GRACE_DAYS } from '../attribution.ts';
import type { CounterId } from '../units.ts';

/** What a process knows of the counters of one account: what clients have spent in its month, and on its last days. */
export interface KnownCounters {
  /** Takes over what is newer, by the versions of the account. */
  note(fields: Readonly<Record<string, number>>, version: number): void;
  usedOf(counter: CounterId): number;
  /** Returns all that is known, by field. */
  all(): Record<string, number>;
}

export const counterField = ({ client, window }: CounterId) => `${client} ${window}`;

export function createKnownCounters(month: string): KnownCounters {
  let known = new Map<string, { used: number; version: number }>();
  let latestDay = 0;

  /** Forgets days long over, both by this clock and by what is counted: either may be ahead. */
  function forgetDays(): void {
    const today = Math.floor((Date.now() - Date.parse(month)) / DAY_MS) + 1;
    const first = Math.min(today, latestDay) - COUNTER_GRACE_DAYS;
    known = new Map([...known].filter(([field]) => (dayIn(field) ?? first) >= first));
  }

  return {
    note(fields, version) {
      const before = latestDay;
      for (const [field, used] of Object.entries(fields)) {
        if ((known.get(field)?.version ?? -1) >= version) continue;
        known.set(field, { used, version });
        latestDay = Math.max(latestDay, dayIn(field) ?? 0);
      }
      // There is one for each client and day.
      if (latestDay > before) forgetDays();
    },
    usedOf: (counter) => known.get(counterField(counter))?.used ?? 0,
    all() {
      forgetDays();
      return Object.fromEntries([...known].map(([field, { used }]) => [field, used]));
    },
  };
}

/** Returns the day of the month that a counter is for; undefined if it is for the whole month. */
function dayIn(field: string): number | undefined {
  const day = / \d+-\d+-(\d+)$/.exec(field)?.[1];
  return day === undefined ? undefined : Number(day);
}
