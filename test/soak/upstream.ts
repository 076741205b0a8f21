import { type Fault, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The upstream of a soak, as a separate process: the sandbox, with faults on demand. */

/** A fault replaces the one before; null ends it. Each question is answered with the units spent and the requests. */
export type Question = { fault: Fault | null } | 'count';

export interface UpstreamCount {
  spent: Record<'fx' | 'macro' | 'credits', number>;
  requests: number;
}

const sandbox = await startSandbox({ latencyMs: 5 });
const { groupA, groupB } = sandbox;

process.on('message', (question: Question) => {
  if (typeof question === 'object') {
    sandbox.clearFaults();
    if (question.fault) sandbox.fault(question.fault);
  }
  const count: UpstreamCount = { spent: sandbox.spent(), requests: sandbox.requests().length };
  process.send?.(count);
});
process.on('disconnect', () => process.exit(1));

const access = {
  GROUP_A_URL: groupA.url,
  GROUP_A_KEY: groupA.key,
  GROUP_B_URL: groupB.url,
  GROUP_B_KEY: groupB.key,
};
process.stdout.write(`${JSON.stringify(access)}\n`);
