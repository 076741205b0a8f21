import type { Outcome, Way } from './month-cache.ts';
import { replay } from './month-cache.ts';
import { DAY } from './month-demand.ts';
import type { World } from './month-world.ts';

/** The same stretch all month. */
function constantWay({ start }: World, stretch: number): Way {
  let now = start;
  return {
    advanceTo: (at) => void (now = at),
    agingTime: () => (now - start) / stretch,
    stretch: () => stretch,
    maySpend: () => true,
    noteSpent: () => undefined,
  };
}

export const runFree = (world: World, allowance = Infinity): Outcome =>
  replay(world, allowance, constantWay(world, 1));

/**
 * Each day has an equal share and spends it freely; what is left of it is lost. What the second spender takes is known
 * beforehand.
 */
export function runSplit(world: World, allowance: number): Outcome {
  const share = (allowance - world.elsewhere.length) / ((world.end - world.start) / DAY);
  const way = constantWay(world, 1);
  let day = 0;
  let spent = 0;
  return replay(world, allowance, {
    ...way,
    advanceTo(at) {
      way.advanceTo(at);
      const today = Math.floor((at - world.start) / DAY);
      if (today !== day) spent = 0;
      day = today;
    },
    maySpend: () => spent < Math.floor(share * (day + 1)) - Math.floor(share * day),
    noteSpent: () => void (spent += 1),
  });
}

/** The best constant stretch, chosen with foresight: the smallest for which the allowance suffices. */
export function runClairvoyant(world: World, allowance: number): Outcome & { stretch: number } {
  const run = (power: number): Outcome =>
    replay(world, allowance, constantWay(world, 2 ** power), { hasLimit: false });
  let low = 0;
  let high = 20;
  if (run(low).unused >= 0) high = low;
  for (let i = 0; i < 14 && high > low; i += 1) {
    const middle = (low + high) / 2;
    if (run(middle).unused >= 0) high = middle;
    else low = middle;
  }
  return { ...run(high), stretch: 2 ** high };
}
