/** An object in the data of a response, which may become a row of a table. */
export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The columns of a row: objects are opened up to two levels deep, lists of objects are left out. */
export function flatten(row: Row, prefix = '', depth = 0): Row {
  const cells = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    const column = prefix === '' ? name : `${prefix} ${name}`;
    if (Array.isArray(value))
      return value.every((each) => typeof each !== 'object') ? [[column, value.join(', ')]] : [];
    if (!isRow(value)) return [[column, value]];
    return depth < 2 ? Object.entries(flatten(value, column, depth + 1)) : [];
  });
  return Object.fromEntries(cells);
}
