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
const LINKED = 'marketgraph:linked';
const MOST_PAST = 50;

function load(): Remembered {
  const none: Remembered = { drafts: {}, own: [], history: [], fresh: {}, current: undefined };
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Remembered>;
    const isLike = (name: keyof Remembered) => shapeOf(stored[name]) === shapeOf(none[name]);
    const kept = (['drafts', 'own', 'history', 'fresh'] as const).filter(isLike);
    const { current } = stored;
    return {
      ...none,
      ...Object.fromEntries(kept.map((name) => [name, stored[name]])),
      current: typeof current === 'string' ? current : undefined,
    };
  } catch {
    return none;
  }
}

/** `[object Array]`, `[object Object]` and the like. */
const shapeOf = (value: unknown) => Object.prototype.toString.call(value);

export function createMemory() {
  const memory = load();

  // Of the same browser's other tabs: what they have changed stays changed. Each shows a question of its own.
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) Object.assign(memory, { ...load(), current: memory.current });
  });

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
    headers: ofWindow(HEADERS),
    /** What was made of the questions of links: other windows come from other links. */
    linked: ofWindow(LINKED),
  };
}

/** A text that is forgotten with the window. */
const ofWindow = (key: string) => ({
  read(): string {
    try {
      return sessionStorage.getItem(key) ?? '';
    } catch {
      return '';
    }
  },
  write(text: string): void {
    try {
      sessionStorage.setItem(key, text);
    } catch {
      // It is gone with the page, then.
    }
  },
});

export type Memory = ReturnType<typeof createMemory>;
