import { z } from 'zod';
import { decodedPart } from '../encoding.ts';
import { type Read, text, url } from './checks.ts';
import { list } from './lists.ts';

/** Which traces are sent, and where to: the variables that OpenTelemetry defines for all programs. */

/** Percent-encoded `name=value` pairs (OpenTelemetry uses the format of W3C Baggage). */
const pairs = list.transform((entries, context): Record<string, string> => {
  const split = entries.map((entry) => /^([^=\s]+)\s*=(.*)$/.exec(entry));
  if (split.includes(null))
    context.addIssue({ code: 'custom', message: 'must be comma-separated name=value pairs' });
  return Object.fromEntries(split.map((match) => [match?.[1] ?? '', decode(match?.[2] ?? '')]));
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
  'must be an OpenTelemetry sampler, e.g. parentbased_traceidratio',
);
const sampler = z.string().toLowerCase().pipe(samplers);

const ratio = z.coerce.number('must be a number').min(0, 'must be 0 to 1').max(1, 'must be 0 to 1');
const disabled = z.string().toLowerCase().default('false');
/** Path for traces below an endpoint that is common to all signals. */
const TRACES_PATH = '/v1/traces';

/** Ignores invalid values: the variable is then meant for other programs, which may accept more values. */
const leniently =
  (read: Read): Read =>
  (variable, type) =>
    read(variable, type.catch(type.parse(undefined)));

const withoutSlash = (address: string) => address.replace(/\/$/, '');

/** Reads the variables. Throws ConfigError only for those that matter to traces that are wanted. */
export function readTracing(read: Read) {
  const written = read('OTEL_SDK_DISABLED', disabled);
  const isDisabled = written === 'true';
  const readEnabled = isDisabled ? leniently(read) : read;
  const common = readEnabled('OTEL_EXPORTER_OTLP_ENDPOINT', url.optional());
  const own = readEnabled('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url.optional());
  const endpoint = own ?? (common && `${withoutSlash(common)}${TRACES_PATH}`);
  const readWanted = endpoint === undefined ? leniently(read) : readEnabled;
  const headers = readWanted('OTEL_EXPORTER_OTLP_HEADERS', pairs);
  const ownHeaders = readWanted('OTEL_EXPORTER_OTLP_TRACES_HEADERS', pairs);
  const chosen = readWanted('OTEL_TRACES_SAMPLER', sampler.default('parentbased_always_on'));
  const readRatio = chosen.endsWith('traceidratio') ? readWanted : leniently(read);
  return {
    warnings: warningsAbout(written, own ? undefined : common),
    isDisabled,
    /** Undefined: no traces are wanted. */
    endpoint,
    headers: { ...headers, ...ownHeaders },
    serviceName: readWanted('OTEL_SERVICE_NAME', text.optional()),
    /** Further attributes that describe this process. */
    resource: readWanted('OTEL_RESOURCE_ATTRIBUTES', pairs),
    sampler: chosen,
    /** Share of the traces that are recorded, for samplers that take one. */
    ratio: readRatio('OTEL_TRACES_SAMPLER_ARG', ratio.default(1)),
  };
}

/** Lines about settings that are probably mistakes. `common`: the endpoint to which TRACES_PATH is appended. */
function warningsAbout(sdkDisabled: string, common: string | undefined): string[] {
  const warnings: string[] = [];
  // OpenTelemetry specifies that every value but `true` counts as false.
  if (!['true', 'false'].includes(sdkDisabled))
    warnings.push('OTEL_SDK_DISABLED: treated as false, since its value is not true');
  if (common && withoutSlash(common).endsWith(TRACES_PATH))
    warnings.push(
      `OTEL_EXPORTER_OTLP_ENDPOINT: ${TRACES_PATH} is appended to it, but it already ends in ${TRACES_PATH}`,
    );
  return warnings;
}
