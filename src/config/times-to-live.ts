import { seconds, type Read } from './checks.ts';

/** Reads how long answers of each dataset stay fresh, in milliseconds; the variables are in seconds. */
export function readTimesToLive(read: Read) {
  return {
    fxRates: read('TTL_FX_RATES', seconds(60)),
    fxHistory: read('TTL_FX_HISTORY', seconds(300)),
    macroCatalog: read('TTL_MACRO_CATALOG', seconds(21_600)),
    macroSeries: read('TTL_MACRO_SERIES', seconds(3600)),
    legislation: read('TTL_LEGISLATION', seconds(900)),
    calendar: read('TTL_CALENDAR', seconds(300)),
    crypto: read('TTL_CRYPTO', seconds(30)),
    settledDays: read('TTL_SETTLED_DAYS', seconds(86_400)),
  };
}
