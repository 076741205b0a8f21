import type { Draft, Question } from './document.ts';

/** What this browser remembers. A browser that keeps nothing, or keeps nonsense, is as good as a new one. */

export interface Past extends Draft {
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  cost: string;
}

interface Remembered {
  /** Questions that were changed, by their id. */
  drafts: Record<string, Draft>;
  /** Questions of one's own. */
  own: Question[];
  history: Past[];
  /** How long answers were fresh, in seconds, by the names of the outermost fields. */
  fresh: Record<string, number>;
  current: string | undefined;
}

const KEY = 'marketgraph:studio';
const HEADERS = 'marketgraph:headers';
const MOST_PAST = 50;

function load(): Remembered {
  const none: Remembered = { drafts: {}, own: [], history: [], fresh: {}, current: undefined };
  try {
    return { ...none, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Remembered>) };
  } catch {
    return none;
  }
}

export function createMemory() {
  const memory = load();

  function save(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(memory));
    } catch {
      // It is full, or not allowed: nothing depends on it.
    }
  }

  return {
    memory,
    save,
    addPast(past: Past): void {
      const others = memory.history.filter(
        ({ query, variables }) => query !== past.query || variables !== past.variables,
      );
      memory.history = [past, ...others].slice(0, MOST_PAST);
      save();
    },
    /** Keys are forgotten with the window. */
    headers: {
      read: () => sessionStorage.getItem(HEADERS) ?? '',
      write: (text: string) => sessionStorage.setItem(HEADERS, text),
    },
  };
}

export type Memory = ReturnType<typeof createMemory>;
