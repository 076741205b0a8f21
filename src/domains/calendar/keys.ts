/** The keys under which events are cached: the filters that the upstream applies (spec section 4.2). */

/** Filters as a client states them; an empty list lets everything pass. */
export interface EventFilters {
  countries?: readonly string[] | null | undefined;
  importance?: readonly string[] | null | undefined;
  currencies?: readonly string[] | null | undefined;
}

/** The key of all events; that of others is the part of the upstream's query string that filters them. */
export const ALL = 'all';

/** The only value of a list; the upstream filters by one importance and one currency. */
function onlyOf(list: EventFilters['importance']): string | undefined {
  const [one, ...others] = new Set(list);
  return others.length === 0 ? one : undefined;
}

/** Returns the key of the events that the upstream lets pass, which may be more: it cannot apply all of these filters. */
export function keyFor({ countries, importance, currencies }: EventFilters): string {
  const query = new URLSearchParams();
  if (countries?.length) query.set('countries', [...new Set(countries)].toSorted().join(','));
  const level = onlyOf(importance);
  if (level !== undefined) query.set('importance', level.toLowerCase());
  const currency = onlyOf(currencies);
  if (currency !== undefined) query.set('currency', currency);
  return query.toString() || ALL;
}

/** Returns the upstream's parameters that filter the events of a key. */
export const parametersOf = (key: string): Record<string, string> =>
  key === ALL ? {} : Object.fromEntries(new URLSearchParams(key));
