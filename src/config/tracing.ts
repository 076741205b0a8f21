import { z } from 'zod';
import { type Read, text, url } from './checks.ts';
import { list } from './lists.ts';

/** Where traces are sent and which: the variables that OpenTelemetry defines for all programs. */

/** `name=value` pairs, percent-encoded (OpenTelemetry has them in the form of W3C Baggage). */
const pairs = list.transform((entries, context): Record<string, string> | undefined => {
  const split = entries.map((entry) => /^([^=\s]+)\s*=(.*)$/.exec(entry));
  if (split.includes(null))
    context.addIssue({ code: 'custom', message: 'must be name=value pairs, comma-separated' });
  const decoded = split.map((match) => [match?.[1] ?? '', decode(match?.[2] ?? '')]);
  return decoded.length > 0 ? Object.fromEntries(decoded) : undefined;
});

function decode(value: string): string {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return value.trim();
  }
}

const sampler = z.enum(
  [
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ],
  'must be one of the samplers of OpenTelemetry, e.g. parentbased_traceidratio',
);

const ratio = z.coerce.number('must be a number').min(0, 'must be 0 to 1').max(1, 'must be 0 to 1');
const disabled = z
  .string()
  .default('false')
  .transform((value) => value.toLowerCase() === 'true');

export function readTracing(read: Read) {
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT', url.optional());
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url.optional());
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', pairs);
  const ownHeaders = read('OTEL_EXPORTER_OTLP_TRACES_HEADERS', pairs);
  return {
    isDisabled: read('OTEL_SDK_DISABLED', disabled),
    /** Undefined: nobody wants any. */
    endpoint: own ?? (common && `${common.replace(/\/$/, '')}/v1/traces`),
    headers: headers || ownHeaders ? { ...headers, ...ownHeaders } : undefined,
    serviceName: read('OTEL_SERVICE_NAME', text.optional()),
    /** What else is said of this process. */
    resource: read('OTEL_RESOURCE_ATTRIBUTES', pairs),
    sampler: read('OTEL_TRACES_SAMPLER', sampler.default('parentbased_always_on')),
    /** Of those samplers that have one. */
    ratio: read('OTEL_TRACES_SAMPLER_ARG', ratio.default(1)),
  };
}
