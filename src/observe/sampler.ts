import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config.ts';

type Sampling = Pick<Config['tracing'], 'sampler' | 'ratio'>;

interface Chosen {
  sampler: Sampler;
  /** Whether nothing is recorded except what a client records, too. */
  isOffByDefault: boolean;
}

/** Returns the sampler that decides which operations are recorded (OTEL_TRACES_SAMPLER). */
export function samplerOf({ sampler: name, ratio }: Sampling): Chosen {
  const own = name.replace('parentbased_', '');
  const root =
    own === 'always_on'
      ? new AlwaysOnSampler()
      : own === 'traceidratio' && ratio > 0
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOffSampler();
  return {
    sampler: own === name ? root : new ParentBasedSampler({ root }),
    isOffByDefault: root instanceof AlwaysOffSampler,
  };
}
