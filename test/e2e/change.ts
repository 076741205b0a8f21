import type { Bench } from '../harness.ts';
import { upstreamAnswer, type UpstreamRecord } from '../upstream.ts';

/** Changes the records of every successful answer under a path. */
export function change(
  { sandbox }: Bench,
  path: string,
  edit: (records: UpstreamRecord[], asked: string) => unknown[],
) {
  const rewrite = (body: unknown, asked: string) => {
    const { data } = upstreamAnswer(sandbox, path.startsWith('/v1') ? 'A' : 'B', asked);
    return Object.assign({}, body, { data: edit(data, asked) });
  };
  sandbox.fault({ kind: 'rewrite', path, rewrite });
}

/** A few days of legislation. */
export const CHANGES = 'filter: { start: "2026-11-16", end: "2026-11-20" }';

/** Adds an asset, third by rank, whose ticker is that of the first one. */
export function addTwin(bench: Bench, name: string): void {
  change(bench, '/crypto', ([first, second, ...rest]) => {
    const twin = { ...second, symbol: first?.['symbol'], name, rank: 3 };
    return [first!, second!, twin, ...rest];
  });
}
