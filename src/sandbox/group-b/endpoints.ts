import type { Endpoint } from '../endpoint.ts';
import type { Rates } from '../group-a/rates.ts';
import type { Settings } from '../settings.ts';
import { createPlan } from './calendar-events.ts';
import { createCalendarEvents } from './calendar.ts';
import { createRanking } from './crypto-ranking.ts';
import { createCryptoPrices } from './crypto.ts';
import { createGazette } from './legislation-records.ts';
import { createLegislationChanges } from './legislation.ts';

/** The endpoints of section 4.2. */
export function endpointsB(seed: number, rates: Rates, settings: Settings): Endpoint[] {
  const answers = {
    '/legislation/changes': createLegislationChanges(settings, createGazette(seed)),
    '/calendar/events': createCalendarEvents(createPlan(seed)),
    '/crypto/prices': createCryptoPrices(seed, rates, createRanking(seed)),
  };
  return Object.entries(answers).map(([path, answer]) => ({ path, meter: 'credits', answer }));
}
