import { z } from 'zod';
import { unpack } from '../packing.ts';
import { ageOf, type StoredAnswer } from '../shared.ts';

/** Reads the reply of the script that reads answers (READ in answer-scripts.ts). */

const buffer = z.instanceof(Buffer);
/** Number, age in milliseconds, head, body. */
const storedRow = z.tuple([buffer, z.number(), buffer, buffer]);

/** Returns the answers in the order in which they came, without those that cannot be read. */
export function readStored(reply: unknown): StoredAnswer[] {
  const answers = chunks(z.array(z.unknown()).catch([]).parse(reply), 4).flatMap((row) => {
    const { success, data } = storedRow.safeParse(row);
    if (!success) return [];
    const [number, age, head, body] = data;
    const answer = unpack({ head: String(head), body });
    return answer ? [{ ...answer, number: Number(number), age: ageOf(age) }] : [];
  });
  return answers.toSorted((a, b) => a.number - b.number);
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const rows = Array.from({ length: Math.floor(list.length / size) }, (_, i) => i * size);
  return rows.map((start) => list.slice(start, start + size));
}
