import { formatDay, type Span } from '../time.ts';
import { builder } from './builder.ts';
import { byPeriod, type Period } from './periods.ts';
import { highest, lowest, type Point } from './points.ts';

/** Open, high, low and close by period. */

interface CandleShape {
  span: Span;
  open: number;
  high: number;
  low: number;
  close: number;
}

/** One candle for each calendar period that has values; the first and the last period are clipped to `span`. */
export function candlesOf(points: readonly Point[], span: Span, every: Period): CandleShape[] {
  return byPeriod(points, every).map(({ period, items }) => {
    const [first] = items;
    return {
      span: { start: Math.max(period.start, span.start), end: Math.min(period.end, span.end) },
      open: first.value,
      high: (highest(items) ?? first).value,
      low: (lowest(items) ?? first).value,
      close: (items.at(-1) ?? first).value,
    };
  });
}

export const Candle = builder.objectRef<CandleShape>('Candle').implement({
  description: 'The values of one calendar period.',
  fields: (t) => ({
    start: t.field({
      type: 'Date',
      description: 'The first day of the period that lies in the range.',
      resolve: ({ span }) => formatDay(span.start),
    }),
    end: t.field({
      type: 'Date',
      description: 'The last day of the period that lies in the range.',
      resolve: ({ span }) => formatDay(span.end),
    }),
    open: t.exposeFloat('open', { description: 'The first value of the period.' }),
    high: t.exposeFloat('high', { description: 'The highest value of the period.' }),
    low: t.exposeFloat('low', { description: 'The lowest value of the period.' }),
    close: t.exposeFloat('close', { description: 'The last value of the period.' }),
  }),
});
