import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import type { Draw } from '../bench/economy-random.ts';
import type { Child } from './processes.ts';
import type { Question } from './upstream.ts';

/** Trouble that comes and goes: phases of one fault each, with quiet phases between them. */

/** Only Group B throttles with 429: from Group A, 429 says that the month's quota is used up. */
const FAULTS: readonly Fault[] = [
  { kind: 'delay', delayMs: 700 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, body: '<html>unavailable</html>' },
  {
    kind: 'status',
    status: 429,
    group: 'B',
    body: { success: false, code: 'rate_limited', message: 'Too fast' },
    headers: { 'retry-after': '1' },
  },
  { kind: 'truncated-json' },
  { kind: 'not-json' },
  { kind: 'reset' },
  { kind: 'reset-mid-body' },
  { kind: 'hang' },
];

const GROUPS = [undefined, 'A', 'B'] as const;

/** Makes trouble until `signal` aborts; returns how many phases of each kind there were. */
export async function makeTrouble(
  upstream: Child,
  draw: Draw,
  phaseMs: number,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const phases = new Map<string, number>();
  const tell = (question: Question) => upstream.ask(question);
  const phase = () => sleep(phaseMs, undefined, { signal }).catch(() => {});
  for (let i = 0; !signal.aborted; i += 1) {
    const fault = FAULTS[i % FAULTS.length]!;
    const group = fault.group ?? draw.among(GROUPS);
    await phase();
    if (signal.aborted) break;
    await tell({ fault: group ? { ...fault, group } : fault });
    const name = fault.status === undefined ? fault.kind : `${fault.kind} ${fault.status}`;
    phases.set(name, (phases.get(name) ?? 0) + 1);
    await phase();
    await tell({ fault: null });
  }
  return phases;
}
