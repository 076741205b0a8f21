/** The cells of a text table: one row a line, columns parted by bars. */
export function rowsOf(table: string): string[][] {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.split('|').map((cell) => cell.trim()));
}
