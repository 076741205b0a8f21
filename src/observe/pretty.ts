import { styleText } from 'node:util';
import { z } from 'zod';
import { fieldOf, parseJson, textOrNull } from '../json.ts';

/** Formats a line of the log for people: time, level, message, then all other fields. */

const LEVELS: Readonly<Record<number, { name: string; color: Parameters<typeof styleText>[0] }>> = {
  10: { name: 'trace', color: 'gray' },
  20: { name: 'debug', color: 'gray' },
  30: { name: 'info ', color: 'green' },
  40: { name: 'warn ', color: 'yellow' },
  50: { name: 'error', color: 'red' },
  60: { name: 'fatal', color: 'red' },
};

const shown = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().default(''),
});

/** `line` as pino writes it. */
export function pretty(line: string): string {
  const { success, data } = shown.safeParse(parseJson(line));
  if (!success) return line;
  const { level, time, msg, ...rest } = data;
  const { name, color } = LEVELS[level] ?? { name: String(level), color: 'white' };
  const at = new Date(time).toTimeString().slice(0, 8);
  const { err, ...about } = rest;
  const beside = Object.entries(about).map(([key, value]) => ` ${key}=${textOf(value)}`);
  const text = styleText('gray', printable(beside.join('')));
  return `${at} ${styleText(color, name)} ${printable(msg)}${text}\n${stackOf(err)}`;
}

/** Removes control characters: no text from outside may begin a line, or move the cursor. */
const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

/** Returns the stack of an unexpected exception, with its lines indented. */
function stackOf(err: unknown): string {
  const stack = textOrNull(fieldOf(err, 'stack')) ?? '';
  return (
    stack &&
    `${stack
      .split('\n')
      .map((line) => `  ${printable(line)}`)
      .join('\n')}\n`
  );
}

/** Returns words as they are, everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  return JSON.stringify(value);
}
