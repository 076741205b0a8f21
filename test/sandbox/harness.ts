import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** Friday 20 November 2026, noon in Istanbul. */
export const FRIDAY_NOON = Date.parse('2026-11-20T12:00:00+03:00');

/** An answer as received over the wire. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A clock that moves only when told to. */
export interface Clock {
  now: () => number;
  set: (time: string) => void;
}

export function createClock(start = FRIDAY_NOON): Clock {
  let at = start;
  return {
    now: () => at,
    set: (time) => {
      at = Date.parse(time);
    },
  };
}

async function read(response: Response): Promise<Answer> {
  const body: unknown = await response.json();
  return { status: response.status, headers: response.headers, body };
}

/** A sandbox whose clock stands at noon on a Friday, closed when the test is over. */
export async function open(options: SandboxOptions = {}) {
  const sandbox: Sandbox = await startSandbox({ now: () => FRIDAY_NOON, ...options });
  onTestFinished(() => sandbox.close());
  const a = async (path: string, headers?: Record<string, string>, method = 'GET') => {
    const sent = headers ?? { 'x-api-key': sandbox.groupA.key };
    return read(await fetch(sandbox.groupA.url + path, { headers: sent, method }));
  };
  const b = async (path: string, headers?: Record<string, string>, method = 'GET') => {
    const sent = headers ?? { authorization: `apikey ${sandbox.groupB.key}` };
    return read(await fetch(sandbox.groupB.url + path, { headers: sent, method }));
  };
  return { sandbox, a, b };
}
