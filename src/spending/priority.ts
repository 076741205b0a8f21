/** How important a client's freshness is, in the order in which rows of the history hold the classes. */
export const PRIORITIES = ['HIGH', 'NORMAL', 'LOW'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * One number, the pressure, decides about all classes: a class is stretched only once the class below it
 * is stretched 16 times.
 */
const HEAD_START = { LOW: 1, NORMAL: 16, HIGH: 256 } as const satisfies Record<Priority, number>;

export const stretchOf = (priority: Priority, pressure: number): number =>
  Math.max(1, pressure / HEAD_START[priority]);

export const pressureFor = (normalStretch: number): number => normalStretch * HEAD_START.NORMAL;
