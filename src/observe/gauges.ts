import { type Aggregator, Gauge, type Registry } from 'prom-client';

/** How the values of several workers are combined (workers/sums.ts). */
type Joined = Extract<Aggregator, 'sum' | 'max' | 'min'>;

/** Makes gauges whose values are looked up when metrics are read. */
export function createGauges(registry: Registry) {
  const registers = [registry];

  /** Makes a gauge with a value for each of `keys`; keys without a value are left out. */
  const per =
    <K extends string>(label: string, keys: readonly K[]) =>
    (
      name: string,
      help: string,
      valueOf: (key: K) => number | null | undefined,
      aggregator: Joined = 'max',
    ): void => {
      const collect = function (this: Gauge) {
        this.reset();
        for (const key of keys) {
          const value = valueOf(key);
          if (value !== null && value !== undefined) this.set({ [label]: key }, value);
        }
      };
      void new Gauge({ name, help, labelNames: [label], registers, aggregator, collect });
    };

  /** Makes a gauge with one value. Over several workers it is summed, whereas `per` takes the largest by default. */
  function single(name: string, help: string, value: () => number): void {
    const collect = function (this: Gauge) {
      this.set(value());
    };
    void new Gauge({ name, help, registers, collect });
  }

  return { per, single };
}
