import { HOUR_MS } from '../time.ts';

/** The stretch changes by a factor of 1.25 an hour at most; a little less, so that rounding does not add up to more. */
const STEP_OF_HOUR = Math.log(1.245);

/**
 * Moves a pressure towards another one, evenly over the time that has passed. `idle` is up to where pressure
 * changes nothing for anybody who asks: that way takes no time.
 */
export function slew(from: number, to: number, passedMs: number, idle: number): number {
  const start = Math.max(from, idle);
  const way = Math.log(Math.max(to, idle) / start);
  const most = (STEP_OF_HOUR * Math.max(0, passedMs)) / HOUR_MS;
  const moved = start * Math.exp(Math.min(most, Math.max(-most, way)));
  return moved <= idle * (1 + 1e-9) ? 1 : moved;
}

/** An estimate from a few hours is not wrong by more than this factor: further apart, the allowance has changed. */
const FAR = 2;

/** Whether two pressures are so far apart that a process that starts is not to go slowly from one to the other. */
export function isFarFrom(one: number, other: number, idle: number): boolean {
  const ratio = Math.max(one, idle) / Math.max(other, idle);
  return ratio > FAR || ratio < 1 / FAR;
}
