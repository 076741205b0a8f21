/** A result's `data` that are JSON already. Who writes JSON without knowing it writes the same. */
export class JsonText {
  readonly text: string;
  /** As `data` it stands for an object. */
  [field: string]: unknown;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Where in a result JSON text stands for a value; the fields left out hold none. */
export type Shape = ReadonlyMap<string, Shape | 'text'>;

/** The JSON of a value which holds JSON text in some places. */
export function textOf(value: unknown, shape: Shape): string {
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, shape)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '{';
  for (const [key, below] of Object.entries(value))
    text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${fieldText(below, shape.get(key))}`;
  return `${text}}`;
}

function fieldText(value: unknown, shape: Shape | 'text' | undefined): string {
  if (shape === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  return shape ? textOf(value, shape) : JSON.stringify(value);
}

/** The JSON of a result's data. */
export function jsonOf(data: unknown): string {
  return data instanceof JsonText ? data.text : JSON.stringify(data);
}
