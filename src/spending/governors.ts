import { type Meter, perMeter } from '../meters.ts';
import type { Allowance } from './allowance.ts';
import { createGovernor, type Governor, type GovernorOptions } from './governor.ts';
import { type Aging, createAging } from './lifetimes.ts';

/** One governor for each meter, and the aging of the data that are paid from it. */
interface Governors {
  governors: Record<Meter, Governor>;
  agings: Record<Meter, Aging>;
}

interface GovernorsOptions extends Omit<GovernorOptions, 'meter' | 'allowance'> {
  ledger: { allowance(meter: Meter): Allowance };
}

export function createGovernors({ ledger, ...options }: GovernorsOptions): Governors {
  const governors = perMeter((meter) =>
    createGovernor({ ...options, meter, allowance: () => ledger.allowance(meter) }),
  );
  return {
    governors,
    agings: perMeter((meter) => createAging(governors[meter])),
  };
}
