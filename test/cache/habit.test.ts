import { expect, test } from 'vitest';
import { createHabit } from '../../src/cache/habit.ts';

test('questions reach from the earliest to the latest day asked for lately', () => {
  const habit = createHabit();
  expect(habit.reach()).toBeUndefined();
  for (const [start, end] of [
    [10, 12],
    [3, 4],
    [11, 20],
  ] as const)
    habit.note({ start, end });
  expect(habit.reach()).toEqual({ start: 3, end: 20 });
});

test('a question that nobody has repeated for two hundred others is forgotten', () => {
  const habit = createHabit();
  habit.note({ start: 0, end: 5 });
  for (let i = 0; i < 199; i += 1) habit.note({ start: 50, end: 60 });
  expect(habit.reach()).toEqual({ start: 0, end: 60 });
  habit.note({ start: 51, end: 59 });
  expect(habit.reach()).toEqual({ start: 50, end: 60 });
});
