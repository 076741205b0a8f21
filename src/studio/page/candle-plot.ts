import type uPlot from 'uplot';
import { color } from './dom.ts';
import type { Candle } from './series.ts';

const MAX_WIDTH = 18;

/** Draws candles over an empty chart: a body from open to close, a wick from low to high. */
export function drawCandles(candles: readonly Candle[]): (plot: uPlot) => void {
  return (plot) => {
    const { ctx } = plot;
    const [rising, falling] = [color('--good'), color('--bad')];
    const ratio = devicePixelRatio;
    const step = plot.bbox.width / Math.max(1, candles.length);
    const width = Math.max(ratio, Math.min(MAX_WIDTH * ratio, step * 0.6));
    const at = (value: number) => plot.valToPos(value, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.clip();
    for (const [i, { open, high, low, close }] of candles.entries()) {
      const time = plot.data[0][i];
      if (time === undefined) continue;
      const x = Math.round(plot.valToPos(time, 'x', true));
      ctx.fillStyle = close >= open ? rising : falling;
      ctx.fillRect(x - ratio / 2, at(high), ratio, Math.max(1, at(low) - at(high)));
      const top = at(Math.max(open, close));
      ctx.fillRect(x - width / 2, top, width, Math.max(ratio, at(Math.min(open, close)) - top));
    }
    ctx.restore();
  };
}
