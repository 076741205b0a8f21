import type { OperationEnd } from '../pipeline/request.ts';

/**
 * What is worked out once for a kept answer and its client, however often it is sent: the questions of an
 * answer are one list for all who get it. For anything else it is worked out each time.
 */
export function perAnswer<T>(workOut: (end: OperationEnd) => T): (end: OperationEnd) => T {
  const known = new WeakMap<OperationEnd['served'], { client: OperationEnd['client']; found: T }>();
  return (end) => {
    if (!isHit(end)) return workOut(end);
    const one = known.get(end.served);
    if (one && one.client === end.client) return one.found;
    const found = workOut(end);
    known.set(end.served, { client: end.client, found });
    return found;
  };
}

/** Whether it was sent an answer that was there before. */
export const isHit = ({ by, joined }: OperationEnd): boolean =>
  by === 'kept answer' && joined === 0;
