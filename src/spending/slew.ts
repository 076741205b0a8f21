import { HOUR_MS } from '../time.ts';

/** Maximum change per hour, as a logarithm: a factor of 1.25, and a little less, so that rounding never exceeds it. */
const MAX_LOG_STEP_PER_HOUR = Math.log(1.245);

/**
 * Moves a pressure toward another one, as far as the time that has passed allows. Up to `idle`, pressure changes
 * nothing for any client that asks, so that part of the way takes no time.
 */
export function slew(from: number, to: number, passedMs: number, idle: number): number {
  const start = Math.max(from, idle);
  const distance = Math.log(Math.max(to, idle) / start);
  const maxStep = (MAX_LOG_STEP_PER_HOUR * Math.max(0, passedMs)) / HOUR_MS;
  const moved = start * Math.exp(Math.min(maxStep, Math.max(-maxStep, distance)));
  return moved <= idle * (1 + 1e-9) ? 1 : moved;
}

/** Factor by which an estimate from a few hours may be wrong: beyond that, the allowance must have changed. */
const FAR_FACTOR = 2;

/** Whether two pressures are so far apart that a starting process jumps from one to the other. */
export function isFarFrom(one: number, other: number, idle: number): boolean {
  const ratio = Math.max(one, idle) / Math.max(other, idle);
  return ratio > FAR_FACTOR || ratio < 1 / FAR_FACTOR;
}
