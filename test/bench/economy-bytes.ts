import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { askedIn } from './economy-costs.ts';
import type { DirectRequest } from './economy-questions.ts';
import { idsOf, type Paid } from './economy-replay.ts';
import type { Trace } from './economy-visits.ts';

/** Measures the share of the paid data that no question has shown. */

/** Requests of one family can answer the same questions: their path and these filters are equal. */
function familyOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://sandbox');
  const filters = ['convert', 'institution', 'q'].map((name) => searchParams.get(name) ?? '');
  return [pathname, ...filters].join(' ');
}

/** Whether the dataset is only available as a whole list. */
const isWhole = ({ dataset }: DirectRequest) => dataset === 'rates' || dataset === 'catalog';

/** Returns the share of the answers' bytes, from 0 to 1, that belongs to records no question has shown. */
export function measureUnused(trace: Trace, paid: readonly Paid[], sandbox: Sandbox): number {
  const shownRecords = paid.map(() => new Set<string>());
  const wanted = new Map<string, string[]>();
  /** For each family and record, the index of the last answer that contained it. */
  const lastAnswers = new Map<string, Map<string, number>>();
  let next = 0;

  function familiesFor(direct: DirectRequest): string[] {
    const known = wanted.get(direct.path);
    if (known) return known;
    const group = direct.path.startsWith('/v1') ? 'A' : 'B';
    const ids = idsOf(sandbox.answer(group, direct.path));
    wanted.set(direct.path, ids);
    return ids;
  }

  function addAnswersUntil(at: number): void {
    for (; next < paid.length && paid[next]!.at <= at; next += 1) {
      const one = paid[next]!;
      const family = familyOf(one.path);
      const latest = lastAnswers.get(family) ?? new Map<string, number>();
      lastAnswers.set(family, latest);
      for (const id of one.ids) latest.set(id, next);
    }
  }

  for (const { at, direct } of askedIn(trace)) {
    addAnswersUntil(at);
    const family = familyOf(direct.path);
    const also = (direct.alsoIn ?? []).map((_, i) => family.replace('USD', ['TRY', 'EUR'][i]!));
    const latest = [family, ...also].flatMap((one) => lastAnswers.get(one) ?? []);
    for (const id of isWhole(direct) ? (latest[0]?.keys() ?? []) : familiesFor(direct)) {
      const by = latest.map((one) => one.get(id) ?? -1);
      shownRecords[Math.max(...by)]?.add(id);
    }
  }
  let bytes = 0;
  let unusedBytes = 0;
  for (const [i, one] of paid.entries()) {
    bytes += one.bytes;
    unusedBytes += one.bytes * (1 - shownRecords[i]!.size / Math.max(1, one.ids.length));
  }
  return unusedBytes / bytes;
}
