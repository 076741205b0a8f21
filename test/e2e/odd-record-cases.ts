import type { UpstreamRecord } from '../upstream.ts';
import { CHANGES } from './change.ts';

/** Records with ids that no URL can hold, for odd-records.test.ts. */

/** Half a surrogate pair: JSON can express it, URLs and UTF-8 cannot. */
export const LONE_SURROGATE = 'odd \uD800';

type OddRecord = [
  path: string,
  field: string,
  list: string,
  type: string,
  edit: (record: UpstreamRecord) => object,
];

export const ODD_RECORDS: OddRecord[] = [
  ['/v1/macro/catalog', 'code', 'macroCatalog', 'MacroSeries', () => ({ code: LONE_SURROGATE })],
  [
    '/legislation/changes',
    'recordId',
    `legislationChanges(${CHANGES})`,
    'LegislationChange',
    () => ({ id: LONE_SURROGATE }),
  ],
  [
    '/calendar/events',
    'recordId',
    'calendarEvents',
    'CalendarEvent',
    () => ({ id: LONE_SURROGATE, datetime: '2026-11-20T10:00:00+03:00' }),
  ],
  ['/crypto/prices', 'symbol', 'cryptoAssets', 'CryptoAsset', () => ({ symbol: LONE_SURROGATE })],
];
