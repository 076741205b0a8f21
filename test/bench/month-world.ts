import type { Draw } from './economy-random.ts';
import { createDraw } from './economy-random.ts';
import { DAY, HOUR, drawNew, poisson, drawUsual, weightsOf } from './month-demand.ts';
import type { Asked } from './month-demand.ts';

/** A virtual month: who asks for what, and when. The same seed gives the same month. */
export interface World {
  start: number;
  end: number;
  /** In the order in which they come. */
  questions: readonly Question[];
  /** When a second spender takes a unit of the same allowance. */
  elsewhere: readonly number[];
  spike: { from: number; until: number };
}

export interface Question extends Asked {
  at: number;
}

export interface WorldOptions {
  seed: number;
  /** YYYY-MM, of UTC. */
  month: string;
  questions?: number;
}

const SPIKE = { times: 10, hours: 3 };
/** How many keys are first asked for at some time in the month, and how often on average each is asked for again. */
const NEW_KEYS = { count: 200, again: 0.7 };
/** Units of the second spender, as a share of the questions. */
const ELSEWHERE_SHARE = 0.015;

export function createWorld({ seed, month, questions = 15_000 }: WorldOptions): World {
  const draw = createDraw(seed);
  const first = new Date(`${month}-01T00:00:00Z`);
  const start = first.getTime();
  const end = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1);
  const spike = spikeIn(draw, start, end);
  const weights = weightsOf(start, end, draw.whole(4));
  const drawTime = createDrawTime(draw, start, weights);
  const asked = [
    ...usualQuestions(draw, { start, weights, spike, questions }),
    ...newQuestions(draw, end, (NEW_KEYS.count * questions) / 15_000, drawTime),
  ];
  const elsewhere = Array.from({ length: Math.round(ELSEWHERE_SHARE * questions) }, drawTime);
  return {
    start,
    end,
    questions: asked.toSorted((a, b) => a.at - b.at),
    elsewhere: elsewhere.toSorted((a, b) => a - b),
    spike,
  };
}

/** Draws a spike in the working hours of a day that is neither among the first nor among the last. */
function spikeIn(draw: Draw, start: number, end: number): World['spike'] {
  const days = (end - start) / DAY;
  const from = start + (3 + draw.whole(days - 6)) * DAY + (9 + draw.whole(8)) * HOUR;
  return { from, until: from + SPIKE.hours * HOUR };
}

function usualQuestions(
  draw: Draw,
  {
    start,
    weights,
    spike,
    questions,
  }: Pick<World, 'start' | 'spike'> & {
    weights: readonly number[];
    questions: number;
  },
): Question[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.flatMap((weight, hour) => {
    const from = start + hour * HOUR;
    const times = from >= spike.from && from < spike.until ? SPIKE.times : 1;
    const count = poisson(draw, (questions * weight * times) / total);
    return Array.from({ length: count }, () => {
      const at = from + draw.number() * HOUR;
      return { at, ...drawUsual(draw, (at - start) / DAY) };
    });
  });
}

function newQuestions(draw: Draw, end: number, count: number, drawTime: () => number): Question[] {
  return Array.from({ length: count }, (_, i) => {
    const asked = drawNew(draw, i);
    const first = drawTime();
    const again = Array.from(
      { length: poisson(draw, NEW_KEYS.again) },
      () => first + draw.number() * DAY,
    );
    return [first, ...again].filter((at) => at < end).map((at) => ({ at, ...asked }));
  }).flat();
}

/** Returns a function that draws moments of the month by the weights of its hours. */
function createDrawTime(draw: Draw, start: number, weights: readonly number[]): () => number {
  const hours = weights.map((weight, i) => [weight, i] as const);
  return () => start + (draw.weighted(hours) + draw.number()) * HOUR;
}
