/** Rows of numbers by slot (history.ts). */
export type SlotRows = ReadonlyMap<number, readonly number[]>;

/** Two rows added element by element; one of another version may be shorter or longer. */
export function sumOf(row: readonly number[] = [], added: readonly number[]): readonly number[] {
  const longer = row.length > added.length ? row : added;
  return longer.map((_, i) => (row[i] ?? 0) + (added[i] ?? 0));
}
