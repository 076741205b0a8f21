import { rounded } from '../../graph/decimals.ts';
import type { FxRateShape } from './records.ts';

/** Converts amounts by the mid rate of one pair, or of two pairs with a currency in between. */

export interface ConversionShape {
  amount: number;
  from: string;
  to: string;
  rate: number;
  path: readonly FxRateShape[];
}

/**
 * One step of a conversion: the rate that is used, the currency that it leads to, and what one unit is worth there,
 * which is rounded only once all steps have been multiplied.
 */
interface Step {
  rate: FxRateShape;
  to: string;
  worth: number;
}

/** Returns the rate between two currencies and the pairs it is made of; undefined if no path of one or two exists. */
export function pathBetween(
  all: readonly FxRateShape[],
  from: string,
  to: string,
): Pick<ConversionShape, 'rate' | 'path'> | undefined {
  const steps = stepsFrom(all, from);
  const direct = steps.find((step) => step.to === to);
  if (direct) return { rate: rounded(direct.worth), path: [direct.rate] };
  const ways = steps.flatMap((first) =>
    stepsFrom(all, first.to)
      .filter((second) => second.to === to)
      .map((second) => ({ first, second, spread: spreadOf(first) + spreadOf(second) })),
  );
  const [best] = ways.toSorted((a, b) => a.spread - b.spread);
  if (!best) return undefined;
  const { first, second } = best;
  return { rate: rounded(first.worth * second.worth), path: [first.rate, second.rate] };
}

/** Returns every currency that one rate leads to; pairs with `currency` as their base come first. */
function stepsFrom(all: readonly FxRateShape[], currency: string): Step[] {
  const usable = all.filter(({ mid }) => mid > 0);
  return [
    ...usable
      .filter(({ base }) => base === currency)
      .map((rate) => ({ rate, to: rate.quote, worth: rate.mid })),
    ...usable
      .filter(({ quote }) => quote === currency)
      .map((rate) => ({ rate, to: rate.base, worth: 1 / rate.mid })),
  ];
}

/** The spread relative to the mid rate: the smaller it is, the less the mid rate can be off. */
const spreadOf = ({ rate: { spread, mid } }: Step): number => Math.abs(spread) / mid;
