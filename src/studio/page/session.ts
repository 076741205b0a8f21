import { LINKED, type Named } from './address.ts';
import type { Draft, Group, Question } from './document.ts';
import type { Memory } from './memory.ts';
import { operationIn, readDocument } from './operations.ts';
import { questionsAt } from './questions.ts';

/** Which question is in the editor, and how it was changed. */

/** What a new question begins with, and where its first field belongs. */
export const EMPTY: Draft = { query: '{\n  \n}\n', variables: '{}' };
export const EMPTY_CARET = EMPTY.query.indexOf('\n}');

declare const READY_MADE: readonly (Draft & { name?: string })[];

/** `named`: what the address of the page asks for. */
export function createSession({ memory, save: saveMemory, linked: ofLinks }: Memory, named: Named) {
  /** Those of today: the page may have been open since yesterday. */
  const given = () => questionsAt(Date.now());
  const ready: Question[] = READY_MADE.map(({ query, variables }) => {
    const name = readDocument(query)?.[0]?.name ?? '';
    return { id: `ready-${name}`, name: spaced(name), query, variables };
  });
  let fromLink = named.linked ? [asQuestion(named.linked)] : [];
  /** Changes to the question of the current link, and of earlier ones in this tab, to which Back leads. */
  const links = linksIn(ofLinks.read());
  let fromLinkChanged = links.of(fromLink[0]);

  const groups = (): Group[] => [
    { name: 'From a link', questions: fromLink },
    { name: 'Yours', questions: memory.own },
    ...given(),
    { name: 'Ready-made operations', questions: ready },
  ];
  const all = () => groups().flatMap(({ questions }) => questions);
  const drafts = (id: string) => (id === LINKED ? fromLinkChanged : memory.drafts);
  const isAsGiven = ({ id }: Question) => !(id in drafts(id));
  const first = () => given()[0]?.questions[0];
  const withId = (wanted: string | undefined) => all().find(({ id }) => id === wanted);
  let current: Question | undefined = withId(named.id) ?? withId(memory.current) ?? first();

  function save(): void {
    saveMemory();
    ofLinks.write(links.text());
  }

  return {
    groups,
    current: (): Question => current ?? { id: '', name: '', query: '', variables: '' },
    /** The current question as it was left, with its changes. */
    draft(): Draft {
      return (current && drafts(current.id)[current.id]) ?? this.current();
    },
    has: (id: string) => withId(id) !== undefined,
    /** Puts the question of a link among the others. */
    link(linked: Draft): void {
      const [known] = fromLink;
      if (known && isSame(known, linked)) return;
      fromLink = [asQuestion(linked)];
      fromLinkChanged = links.of(linked);
    },
    choose(id: string): void {
      current = withId(id) ?? first();
      memory.current = id === LINKED ? undefined : id;
      save();
    },
    edit({ query, variables, operationName }: Draft): void {
      if (!current) return;
      const { id } = current;
      const draft = { query, variables, operationName };
      // An added question may have been removed in another tab: editing it here keeps it.
      if (!this.has(id)) memory.own.unshift(current);
      const own = memory.own.find((each) => each.id === id);
      if (own) current = Object.assign(own, draft, { name: nameOf(draft) });
      else if (runsSame(current, draft)) delete drafts(id)[id];
      else drafts(id)[id] = draft;
      save();
    },
    /** Chooses an unchanged question that runs the same, if there is one, else adds a new one. */
    add(draft: Draft): void {
      const same = all().find((each) => runsSame(each, draft) && isAsGiven(each));
      if (same) return this.choose(same.id);
      const id = `own-${Date.now().toString(36)}`;
      const { query, variables, operationName } = draft;
      memory.own.unshift({ id, name: nameOf(draft), query, variables, operationName });
      this.choose(id);
    },
    /** Removes the current question, and returns the id of the one to show next. */
    remove(): string {
      memory.own = memory.own.filter(({ id }) => id !== current?.id);
      save();
      return first()?.id ?? '';
    },
    isOwn: () => memory.own.some(({ id }) => id === current?.id),
    isChanged: () => current !== undefined && !isAsGiven(current),
    /** Undoes all changes to the current question, and returns its id. */
    reset(): string {
      if (current) delete drafts(current.id)[current.id];
      save();
      return current?.id ?? '';
    },
  };
}

type Drafts = Record<string, Draft>;

/** Changes to the questions of links, by the query and variables of each link. */
function linksIn(stored: string) {
  const drafts = new Map<string, Drafts>(entriesIn(stored));
  return {
    of(link: Draft | undefined): Drafts {
      const key = JSON.stringify([link?.query, link?.variables]);
      const known = drafts.get(key) ?? {};
      drafts.set(key, known);
      return known;
    },
    text: () => JSON.stringify([...drafts].filter(([, { [LINKED]: changed }]) => changed)),
  };
}

/** Ignores anything invalid. */
function entriesIn(stored: string): [string, Drafts][] {
  try {
    const found: unknown = JSON.parse(stored);
    return Array.isArray(found) ? found.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (entry: unknown): entry is [string, Drafts] =>
  Array.isArray(entry) &&
  typeof entry[1]?.[LINKED]?.query === 'string' &&
  typeof entry[1][LINKED].variables === 'string';

const isSame = (a: Draft, b: Draft) => a.query === b.query && a.variables === b.variables;
const runsSame = (a: Draft, b: Draft) =>
  isSame(a, b) && operationIn(a)?.name === operationIn(b)?.name;

const asQuestion = (linked: Draft): Question => ({
  id: LINKED,
  name: nameOf(linked),
  ...linked,
});

/** `MarketPage` becomes "Market page", `LiraInAYear` "Lira in a year". */
function spaced(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names a question after its operation, or else after its first field. */
function nameOf(draft: Draft): string {
  const operation = operationIn(draft);
  const name =
    operation?.name ??
    operation?.fields[0]?.name ??
    /\b(?:query|subscription) (\w+)/.exec(draft.query)?.[1];
  return name === undefined ? 'New query' : spaced(name);
}
