import type { Asked } from './costs.ts';
import type { Draft } from './document.ts';
import { byId, h } from './dom.ts';
import type { EditorText } from './editor.ts';
import { type Operation, operationNamed, readDocument } from './operations.ts';

/** What the editor would send, were it run now. */
export interface Asking {
  /**
   * Undefined where there is nothing to run, or variables or headers are only half written: without a header it would
   * be another question.
   */
  asked(): Asked | undefined;
  /** The same as it stands there, without the headers: they may hold a key. */
  draft(): Draft;
  /** Why nothing is asked. */
  problem(): string;
  /** Empty where they are only half written. */
  headers(): Record<string, string>;
  /** The one that would run; undefined where the query is only half written. */
  operation(): Operation | undefined;
  /** After a word, the names of its outermost fields: by these the gateway's times to live are remembered. */
  fieldsKey(): string;
  /** Lets people choose where a text has several operations. */
  drawChoice(): void;
  /** Another text is there now, of which this operation is wanted. */
  want(operationName: string | undefined): void;
}

export function createAsking(read: () => EditorText, onChoice: () => void): Asking {
  const select = byId('operation', HTMLSelectElement);
  let wanted: string | undefined;
  const operations = () => readDocument(read().query) ?? [];
  const operation = () => operationNamed(operations(), wanted);

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
      // A text that is only half written keeps the choice.
      const operationName = readDocument(query) ? operation()?.name : wanted;
      return { query, variables, operationName };
    },
    problem() {
      if (isEmpty(read().query)) return 'There is nothing to run: write a query, or choose one.';
      return headers() ? 'The variables are no JSON.' : 'The headers are no JSON object.';
    },
    headers: () => headers() ?? {},
    operation,
    fieldsKey: () => ['fields', ...(operation()?.fields ?? []).map(({ name }) => name)].join(' '),
    drawChoice() {
      const names = operations().flatMap(({ name }) => name ?? []);
      select.hidden = names.length < 2;
      select.replaceChildren(...names.map((name) => h('option', {}, name)));
      select.value = operation()?.name ?? '';
    },
    want: (operationName) => void (wanted = operationName),
  };
}

/** Nothing but comments, if anything. */
const isEmpty = (query: string) => query.replaceAll(/#.*/g, '').trim() === '';

function headersIn(text: string): Record<string, string> | undefined {
  try {
    const found: unknown = JSON.parse(text.trim() || '{}');
    const isObject = typeof found === 'object' && found !== null && !Array.isArray(found);
    // Throws for what no header can carry.
    return isObject && new Headers(found as Record<string, string>)
      ? (found as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}
