import type { Asked } from './costs.ts';
import type { Draft } from './document.ts';
import { byId, h } from './dom.ts';
import type { EditorText } from './editor.ts';
import { type Operation, operationIn, readDocument } from './operations.ts';
import { isRow } from './row.ts';

/** What would be sent if the editor's content were run now. */
export interface Asking {
  /**
   * The request; undefined if there is nothing to run, or if variables or headers are incomplete: without its headers
   * it would be a different request.
   */
  asked(): Asked | undefined;
  /** The texts as they are in the editor, without the headers, which may hold a key. */
  draft(): Draft;
  /** Why `asked` returns undefined, as a message to show. */
  problem(): string;
  /** Empty while they are incomplete or invalid. */
  headers(): Record<string, string>;
  /** The operation that would run; undefined while the query is incomplete. */
  operation(): Operation | undefined;
  /** Identifies what would be sent, except its headers: times to live are remembered under it. */
  key(): string;
  /** Shows a choice of operations if the text has several. */
  drawChoice(): void;
  /** Selects an operation of the text that is about to be put into the editor. */
  want(operationName: string | undefined): void;
}

export function createAsking(read: () => EditorText, onChoice: () => void): Asking {
  const select = byId('operation', HTMLSelectElement);
  let wanted: string | undefined;
  const operations = () => readDocument(read().query) ?? [];
  const operation = () => operationIn({ query: read().query, operationName: wanted });

  select.addEventListener('change', () => {
    wanted = select.value;
    onChoice();
  });

  const headers = () => headersIn(read().headers);

  return {
    asked() {
      const { query, variables } = read();
      const sent = headers();
      if (isEmpty(query)) return undefined;
      try {
        const given: unknown = variables.trim() === '' ? undefined : JSON.parse(variables);
        return sent && { query, variables: given, operationName: operation()?.name, headers: sent };
      } catch {
        return undefined;
      }
    },
    draft() {
      const { query, variables } = read();
      // While the text is incomplete, the choice is kept.
      const operationName = readDocument(query) ? operation()?.name : wanted;
      return { query, variables, operationName };
    },
    problem() {
      if (isEmpty(read().query)) return 'There is nothing to run: write a query, or choose one.';
      if (headers()) return 'The variables are not valid JSON.';
      return objectIn(read().headers)
        ? 'A header has a name or value that no request can carry.'
        : 'The headers are not a JSON object.';
    },
    headers: () => headers() ?? {},
    operation,
    key: () => JSON.stringify([operation()?.query, read().variables]),
    drawChoice() {
      const names = operations().flatMap(({ name }) => name ?? []);
      select.hidden = names.length < 2;
      select.replaceChildren(...names.map((name) => h('option', {}, name)));
      select.value = operation()?.name ?? '';
    },
    want: (operationName) => void (wanted = operationName),
  };
}

/** Whether there is no text, or nothing but comments. */
const isEmpty = (query: string) => query.replaceAll(/#.*/g, '').trim() === '';

function objectIn(text: string): Record<string, string> | undefined {
  try {
    const found: unknown = JSON.parse(text.trim() || '{}');
    return isRow(found) ? (found as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

function headersIn(text: string): Record<string, string> | undefined {
  const found = objectIn(text);
  try {
    // Throws for names and values that no header can carry.
    return found && new Headers(found) && found;
  } catch {
    return undefined;
  }
}
