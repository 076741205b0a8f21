import { z } from 'zod';
import { decodedPart } from '../encoding.ts';
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
  const written = value.trim();
  return decodedPart(written) ?? written;
}

const samplers = z.enum(
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
const sampler = z.string().toLowerCase().pipe(samplers);

const ratio = z.coerce.number('must be a number').min(0, 'must be 0 to 1').max(1, 'must be 0 to 1');
const disabled = z.string().toLowerCase().default('false');
/** Of an address of all signals, each of which has its own below it. */
const OF_TRACES = '/v1/traces';

/** What is wrong with a variable is no matter: it is meant for other programs, which know more values of it. */
const leniently =
  (read: Read): Read =>
  (variable, type) =>
    read(variable, type.catch(type.parse(undefined)));

const withoutSlash = (address: string) => address.replace(/\/$/, '');

/** Variables are checked as far as there are to be traces that depend on them. */
export function readTracing(read: Read) {
  const written = read('OTEL_SDK_DISABLED', disabled);
  const isDisabled = written === 'true';
  const readEnabled = isDisabled ? leniently(read) : read;
  const common = readEnabled('OTEL_EXPORTER_OTLP_ENDPOINT', url.optional());
  const own = readEnabled('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url.optional());
  const endpoint = own ?? (common && `${withoutSlash(common)}${OF_TRACES}`);
  const readWanted = endpoint === undefined ? leniently(read) : readEnabled;
  const headers = readWanted('OTEL_EXPORTER_OTLP_HEADERS', pairs);
  const ownHeaders = readWanted('OTEL_EXPORTER_OTLP_TRACES_HEADERS', pairs);
  const chosen = readWanted('OTEL_TRACES_SAMPLER', sampler.default('parentbased_always_on'));
  const readRatio = chosen.endsWith('traceidratio') ? readWanted : leniently(read);
  const warnings = [
    // OpenTelemetry wants all but `true` to count as false.
    ['true', 'false'].includes(written)
      ? []
      : 'OTEL_SDK_DISABLED: counts as false, since it is not true',
    !own && common && withoutSlash(common).endsWith(OF_TRACES)
      ? `OTEL_EXPORTER_OTLP_ENDPOINT: traces go to ${OF_TRACES} below it, and it ends in that already`
      : [],
  ];
  return {
    /** What is likely to be a mistake. */
    warnings: warnings.flat(),
    isDisabled,
    /** Undefined: nobody wants any. */
    endpoint,
    headers: headers || ownHeaders ? { ...headers, ...ownHeaders } : undefined,
    serviceName: readWanted('OTEL_SERVICE_NAME', text.optional()),
    /** What else is said of this process. */
    resource: readWanted('OTEL_RESOURCE_ATTRIBUTES', pairs),
    sampler: chosen,
    /** Of those samplers that have one. */
    ratio: readRatio('OTEL_TRACES_SAMPLER_ARG', ratio.default(1)),
  };
}
