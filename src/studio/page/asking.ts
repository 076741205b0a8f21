import type { Asked } from './costs.ts';
import { byId, h } from './dom.ts';
import type { EditorText } from './editor.ts';
import { type Operation, operationNamed, readDocument } from './operations.ts';

/** What the editor would send, were it run now. */
export interface Asking {
  /** Undefined where the variables are only half written. */
  asked(): Asked | undefined;
  /** Empty where they are only half written. */
  headers(): Record<string, string>;
  /** The one that would run; undefined where the query is only half written. */
  operation(): Operation | undefined;
  /** The names of its outermost fields: by these the gateway's times to live are remembered. */
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

  function headers(): Record<string, string> {
    try {
      return JSON.parse(read().headers.trim() || '{}') as Record<string, string>;
    } catch {
      return {};
    }
  }

  return {
    asked() {
      const { query, variables } = read();
      try {
        const given: unknown = variables.trim() === '' ? undefined : JSON.parse(variables);
        const operationName = operation()?.name;
        return { query, variables: given, operationName, headers: headers() };
      } catch {
        return undefined;
      }
    },
    headers,
    operation,
    fieldsKey: () => (operation()?.fields ?? []).map(({ name }) => name).join(' '),
    drawChoice() {
      const names = operations().flatMap(({ name }) => name ?? []);
      select.hidden = names.length < 2;
      select.replaceChildren(...names.map((name) => h('option', {}, name)));
      select.value = operation()?.name ?? '';
    },
    want: (operationName) => void (wanted = operationName),
  };
}
