import { type Cached, metadataOf } from '../cache/cached.ts';
import { builder } from './builder.ts';

/** Where a cached value comes from and how old it is: the GraphQL type, and how that of several parts is combined. */

export const Provenance = builder.objectRef<Cached<unknown>>('Provenance').implement({
  description: 'Where a piece of data comes from and how old it is.',
  fields: (t) => ({
    source: t.string({
      description:
        "Label of the data source: the upstream's own in Group A (fx, macro); the dataset in Group B, which states none (legislation, calendar, crypto).",
      resolve: ({ origin }) => origin.source,
    }),
    asOf: t.field({
      type: 'DateTime',
      description:
        'The time of the data as the upstream states it; if it states none, the time it was retrieved.',
      resolve: ({ origin }) => origin.asOf,
    }),
    license: t.string({
      nullable: true,
      description: 'License text of the data, as the upstream states it; may be empty.',
      resolve: ({ origin }) => origin.license,
    }),
    upstreamCached: t.boolean({
      nullable: true,
      description:
        'Whether the upstream said that it served this from its own cache; null if it does not say.',
      resolve: ({ origin }) => origin.upstreamCached,
    }),
    retrievedAt: t.field({
      type: 'DateTime',
      description:
        'When this gateway received it from the upstream; of several answers, the oldest.',
      resolve: ({ origin }) => new Date(origin.retrievedAt).toISOString(),
    }),
    stale: t.boolean({
      description:
        'Whether the data are past their time to live. Such data are served if they could not be refreshed, or while units are being saved.',
      resolve: ({ stale }) => stale,
    }),
  }),
});

/** A value made of one or more cached parts of the same dataset. */
export function combine<T>(parts: readonly Cached<unknown>[], value: T): Cached<T> {
  const { dataset, aging } = parts[0]!;
  return {
    ...metadataOf(parts),
    value,
    dataset,
    aging,
    stale: parts.some(({ stale }) => stale),
    isCurrent: () => parts.every((part) => part.isCurrent()),
  };
}
