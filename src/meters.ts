/** The metered allowances of the upstream (spec section 8). To add one, add a line to DESCRIPTIONS. */

/** The two groups of the upstream's endpoints: each has its own address, key and envelope (spec sections 2 and 4). */
export type Group = 'A' | 'B';

interface Description {
  name: string;
  /** The group of endpoints that it belongs to. */
  group: Group;
  /** What the upstream calls its units. */
  label: string;
}

const DESCRIPTIONS = [
  { name: 'fx', group: 'A', label: 'FX quota' },
  { name: 'macro', group: 'A', label: 'Macro quota' },
  { name: 'credits', group: 'B', label: 'Credits' },
] as const satisfies readonly Description[];

export type Meter = (typeof DESCRIPTIONS)[number]['name'];

/** All meters, in the order in which clients see them. */
export const METERS: readonly Meter[] = DESCRIPTIONS.map(({ name }) => name);

/** Makes a record with a value for each meter. */
export function perMeter<V>(valueOf: (meter: Meter) => V): Record<Meter, V> {
  // The type system cannot tell that METERS names every meter.
  const record = {} as Record<Meter, V>;
  for (const meter of METERS) record[meter] = valueOf(meter);
  return record;
}

/** The sum over all meters. */
export const totalOf = (units: Readonly<Record<Meter, number>>): number =>
  METERS.reduce((sum, meter) => sum + units[meter], 0);

const byName = perMeter((meter): Description => DESCRIPTIONS.find(({ name }) => name === meter)!);

export const groupOf = (meter: Meter): Group => byName[meter].group;

/** What the upstream calls its units, e.g. `FX quota`. */
export const labelOf = (meter: Meter): string => byName[meter].label;

/** For readers of the schema, e.g. `FX quota of Group A.` */
export const descriptionOf = (meter: Meter): string =>
  `${labelOf(meter)} of Group ${byName[meter].group}.`;

/** The environment variable that sets its monthly allowance, e.g. `FX_MONTHLY_LIMIT`. */
export const limitVariable = (meter: Meter): string => `${meter.toUpperCase()}_MONTHLY_LIMIT`;
