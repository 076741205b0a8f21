import { isShort, usageOf } from './cost-bar.ts';
import type { Costs, FieldCost } from './costs.ts';
import type { Usage } from './document.ts';
import type { LineNote } from './editor.ts';
import { unitsInShort, unitsInWords } from './words.ts';

/** The notes beside the lines of the outermost fields. */
export function notesOf(costs: Costs): Map<number, LineNote> {
  if (costs.kind !== 'known') return new Map();
  const usage = usageOf(costs);
  const byLine = Map.groupBy(costs.fields, ({ line }) => line);
  return new Map(
    [...byLine].map(([line, fields]) => [line, together(fields.map((one) => noteOf(one, usage)))]),
  );
}

function noteOf({ name, estimate, refusal }: FieldCost, usage: Usage | undefined): LineNote {
  if (refusal !== undefined) return { text: 'refused', kind: 'over', title: `${name}: ${refusal}` };
  const text = unitsInShort(estimate);
  const kind = text === 'free' ? 'free' : isShort(usage, estimate) ? 'over' : 'paid';
  return { text, kind, title: `${name}: ${unitsInWords(estimate) || 'costs nothing now'}` };
}

const KINDS = ['over', 'paid', 'free'] as const;

/** One note for several fields on one line, which must not look cheaper than the dearest of them. */
function together(notes: readonly LineNote[]): LineNote {
  const kind = KINDS.find((each) => notes.some((note) => note.kind === each)) ?? 'free';
  const paid = notes.filter((note) => kind === 'free' || note.kind !== 'free');
  return {
    kind,
    text: [...new Set(paid.map(({ text }) => text))].join(', '),
    title: notes.map(({ title }) => title).join('; '),
  };
}
