import { type Aggregator, Gauge, type Registry } from 'prom-client';

/** What the values of several workers become (workers/sums.ts). */
type Joined = Extract<Aggregator, 'sum' | 'max' | 'min'>;

/** Gauges whose values are looked up when somebody asks. */
export function createGauges(registry: Registry) {
  const registers = [registry];

  /** Gauges with a value for each of `keys`; those without one are left out. */
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

  function single(name: string, help: string, value: () => number): void {
    const collect = function (this: Gauge) {
      this.set(value());
    };
    void new Gauge({ name, help, registers, collect });
  }

  return { per, single };
}
