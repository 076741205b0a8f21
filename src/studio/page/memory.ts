import { type Answer, type Draft, METERS, type Question } from './document.ts';

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
/** What was run is the same where all of these are. */
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
      const others = memory.history.filter((one) => TEXTS.some((text) => one[text] !== past[text]));
      memory.history = [past, ...others].slice(0, MOST_PAST);
      save();
    },
    /** Of what comes out of the cache, an answer tells how long it is fresh from now on: that is less than its whole life. */
    noteFresh(fields: string, { extensions }: Answer, seconds: number | undefined): void {
      const usage = extensions?.usage;
      const isNew =
        usage?.upstream.cacheHits === 0 && METERS.some((meter) => usage[meter].used > 0);
      if (isNew && seconds !== undefined) memory.fresh[fields] = seconds;
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
