/** Passes on what one process writes in whole lines, so that those of several do not mix. */
export function createLines(write: (lines: string) => void): (piece: string) => void {
  let begun = '';
  return (piece) => {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) write(begun + piece.slice(0, end));
    begun = end > 0 ? piece.slice(end) : begun + piece;
  };
}
