/** Datasets, each with a field that reads it and the meter that pays for that, for failures.test.ts. */
export const DATASETS = {
  rates: { group: 'A', meter: 'fx', path: '/v1/fx/rates', field: 'fxRates { totalCount }' },
  catalog: {
    group: 'A',
    meter: 'macro',
    path: '/v1/macro/catalog',
    field: 'macroCatalog { totalCount }',
  },
  legislation: {
    group: 'B',
    meter: 'credits',
    path: '/legislation/changes',
    field: 'legislationChanges(filter: { start: "2026-11-01" }) { totalCount }',
  },
  calendar: {
    group: 'B',
    meter: 'credits',
    path: '/calendar/events',
    field: 'calendarEvents { totalCount }',
  },
  crypto: {
    group: 'B',
    meter: 'credits',
    path: '/crypto/prices',
    field: 'cryptoAssets { totalCount }',
  },
} as const;

export type Name = keyof typeof DATASETS;
export const NAMES = Object.keys(DATASETS) as Name[];
