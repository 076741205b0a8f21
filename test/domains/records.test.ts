import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventOf, eventsEndpoint } from '../../src/domains/calendar/records.ts';
import { assetOf, pricesEndpoint } from '../../src/domains/crypto/records.ts';
import { rateOf, ratesEndpoint } from '../../src/domains/fx/records.ts';
import { changeOf, changesEndpoint } from '../../src/domains/legislation/records.ts';
import { catalogEndpoint, seriesOf } from '../../src/domains/macro/records.ts';
import type { Endpoint } from '../../src/upstream/endpoint.ts';

/** No record of a paid answer can cause an exception: neither when it is checked nor when it is shaped. */

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const dateTime = fc
  .tuple(
    fc.constantFrom('2026-11-20', '0000-01-01', '9999-12-31', '1970-01-01', '2026-03-29'),
    fc.constantFrom('T', 't', ' '),
    fc.constantFrom('00:00', '24:00', '23:59:59', '10:00:60', '12:00:00.', '12:30:15.5'),
    fc.oneof(fc.constant(''), digits(1), digits(12), digits(400)),
    fc.constantFrom('', 'Z', 'z', '+03:00', '-23:59', '+14:30', '-0000'),
  )
  .map((parts) => parts.join(''));
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('\uD800'), dateTime);
const value = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.constant(null),
  fc.array(text),
  fc.object(),
);

const FIELDS = {
  fx: { pair: 'USDTRY', buying: 1, selling: 2 },
  macro: { code: 'TP.DK', name: 'name' },
  legislation: {
    id: 'id',
    publishedAt: '2026-11-20',
    effectiveDate: '2026-11-20',
    type: 'kanun',
    title: 'title',
    parentLaw: { name: 'law', number: '-' },
    topics: ['tax'],
    changeType: 'ekleme',
    diff: { before: 'a', after: 'b' },
    gazetteNumber: 1,
  },
  calendar: {
    id: 'id',
    datetime: '2026-11-20T10:00:00',
    country: 'TR',
    event: 'event',
    impact: 'low',
  },
  crypto: { symbol: 'BTC', name: 'Bitcoin', rank: 1, price: 2, updatedAt: '2026-11-20T10:00:00Z' },
};

const market = { convert: 'USD', exchange: null, interval: null } as const;

/** Replaces one field of a good record at a time by an arbitrary value; returns how many of these were valid. */
function countValid<Raw>({ record }: Endpoint<Raw>, good: object, shape: (raw: Raw) => unknown) {
  const names = Object.keys(good);
  let valid = 0;
  fc.assert(
    fc.property(fc.constantFrom(...names), value, (name, odd) => {
      const changed: unknown = { ...good, [name]: odd };
      if (!record.validate(changed)) return;
      valid += 1;
      shape(changed);
    }),
    { numRuns: 3000 },
  );
  return valid;
}

const SAMPLES = 30;

test('rates', () => {
  expect(countValid(ratesEndpoint, FIELDS.fx, rateOf)).toBeGreaterThan(SAMPLES);
});

test('series', () => {
  expect(countValid(catalogEndpoint, FIELDS.macro, seriesOf)).toBeGreaterThan(SAMPLES);
});

test('changes of legislation', () => {
  expect(countValid(changesEndpoint, FIELDS.legislation, changeOf)).toBeGreaterThan(SAMPLES);
});

test.each(['Europe/Istanbul', 'America/New_York', 'Asia/Kathmandu'])('events in %s', (zone) => {
  const shape = (event: Parameters<typeof eventOf>[0]) => eventOf(event, zone);
  expect(countValid(eventsEndpoint, FIELDS.calendar, shape)).toBeGreaterThan(SAMPLES);
});

test('assets', () => {
  const shape = (price: Parameters<typeof assetOf>[0]) => assetOf(price, market, '');
  expect(countValid(pricesEndpoint, FIELDS.crypto, shape)).toBeGreaterThan(SAMPLES);
});
