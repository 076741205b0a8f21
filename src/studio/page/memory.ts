import { type Answer, type Draft, METERS, type Question } from './document.ts';

/** What this browser remembers. If nothing is stored, or something invalid, the page begins as in a new browser. */

export interface Past extends Draft {
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  cost: string;
}

interface Remembered {
  /** Questions that were changed, by their id. */
  drafts: Record<string, Draft>;
  /** Questions that somebody has added. */
  own: Question[];
  history: Past[];
  /** How long answers were fresh, in seconds, by what was asked. */
  fresh: Record<string, number>;
  current: string | undefined;
}

const KEY = 'marketgraph:studio';
const HEADERS = 'marketgraph:headers';
const LINKED = 'marketgraph:linked';
/** Maximum number of operations that are remembered, and of times to live. */
const MAX_HISTORY = 50;
/** Two runs count as the same if all of these are equal. */
const TEXTS = ['query', 'variables', 'operationName'] as const;

function load(): Remembered {
  const { drafts, own, history, fresh, current } = stored();
  return {
    drafts: record(drafts, isDraft),
    own: list(own, (one): one is Question => isDraft(one) && hasTexts(one, ['id', 'name'])),
    history: list(history, isPast),
    fresh: record(fresh, (seconds) => typeof seconds === 'number'),
    current: typeof current === 'string' ? current : undefined,
  };
}

function stored(): Partial<Record<keyof Remembered, unknown>> {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? '{}')) as object;
  } catch {
    return {};
  }
}

type Fits<T> = (value: unknown) => value is T;

const list = <T>(value: unknown, fits: Fits<T>): T[] =>
  Array.isArray(value) ? value.filter(fits) : [];
const record = <T>(value: unknown, fits: Fits<T>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(Object(value) as object).filter((entry): entry is [string, T] => fits(entry[1])),
  );
const hasTexts = (value: unknown, names: readonly string[]) =>
  names.every((name) => typeof Object(value)[name] === 'string');
const isDraft = (value: unknown): value is Draft => hasTexts(value, ['query', 'variables']);
const isPast = (value: unknown): value is Past =>
  isDraft(value) && hasTexts(value, ['name', 'cost']) && 'at' in value;

export function createMemory() {
  const memory = load();

  // Takes over what other tabs of this browser have changed. Each tab shows a question of its own.
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) Object.assign(memory, { ...load(), current: memory.current });
  });

  function save(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(memory));
    } catch {
      // Storage is full or not allowed: nothing depends on it.
    }
  }

  return {
    memory,
    save,
    addPast(past: Past): void {
      const others = memory.history.filter((one) => TEXTS.some((text) => one[text] !== past[text]));
      memory.history = [past, ...others].slice(0, MAX_HISTORY);
      save();
    },
    /** Notes how long an answer is fresh, unless it was cached: only a part of its time to live is left then. */
    noteFresh(asked: string, { extensions }: Answer, seconds: number | undefined): void {
      const usage = extensions?.usage;
      const isNew =
        usage?.upstream.cacheHits === 0 && METERS.some((meter) => usage[meter].used > 0);
      if (!isNew || seconds === undefined) return;
      const others = Object.entries(memory.fresh).filter(([one]) => one !== asked);
      memory.fresh = Object.fromEntries([...others, [asked, seconds]].slice(-MAX_HISTORY));
    },
    /** The headers, which may hold keys, are forgotten when the tab is closed. */
    headers: ofTab(HEADERS),
    /** Changes to the questions of links: kept for this tab alone, since others may come from other links. */
    linked: ofTab(LINKED),
  };
}

/** A text that is forgotten when the tab is closed. */
const ofTab = (key: string) => ({
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
      // Without storage, it is lost with the page.
    }
  },
});

export type Memory = ReturnType<typeof createMemory>;
