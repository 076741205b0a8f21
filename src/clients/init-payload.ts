import { isObject } from '../json.ts';

/** What clients send in the payload of a WebSocket's `connection_init`, since browsers cannot set its headers. */
export type InitPayload = Readonly<Record<string, unknown>> | undefined;

/**
 * Returns the headers in a payload by their names in lower case, as clients write them in any: those at its top, and
 * those under `headers`, which count where the top has none.
 */
export function headersIn(payload: InitPayload): readonly ReadonlyMap<string, unknown>[] {
  const top = lowerCased(payload ?? {});
  const nested = top.get('headers');
  return isObject(nested) ? [top, lowerCased(nested)] : [top];
}

const lowerCased = (record: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
