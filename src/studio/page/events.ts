import { isRow } from './row.ts';

/** Events that a subscription sends one at a time, such as each released event of the calendar, as a list. */

/** Number of events that are kept, the latest first. */
const MAX_EVENTS = 200;

export function createEvents() {
  let name: string | undefined;
  let events: readonly unknown[] = [];

  return {
    /** Forgets the events of the run before. */
    clear(): void {
      [name, events] = [undefined, []];
    },
    /** Returns data in which the field of a new event has the earlier ones, too; any other data as they are. */
    withEarlier(data: unknown): unknown {
      const [[field, value] = [], ...others] = isRow(data) ? Object.entries(data) : [];
      if (field === undefined || !isRow(value) || others.length > 0) return data;
      events = [value, ...(field === name ? events : [])].slice(0, MAX_EVENTS);
      name = field;
      return { [field]: events };
    },
  };
}
