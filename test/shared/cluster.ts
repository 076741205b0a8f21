import { expect } from 'vitest';
import { KEY_PREFIX } from '../../src/shared/valkey/server.ts';
import { startValkey, type ValkeyServer } from './valkey-server.ts';

/** A cluster of real servers for one test: three masters, each with a third of the slots. */

const OPTIONS = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
const RANGES = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

export const portOf = ({ url }: ValkeyServer) => new URL(url).port;

async function isKnown({ command }: ValkeyServer): Promise<void> {
  const state = () => command('CLUSTER', 'INFO');
  await expect.poll(state).toContain('cluster_state:ok');
}

export async function startCluster(): Promise<ValkeyServer[]> {
  const nodes: ValkeyServer[] = [];
  for (const range of RANGES) {
    const node = await startValkey(...OPTIONS);
    await node.command('CLUSTER', 'ADDSLOTSRANGE', ...range);
    if (nodes.length > 0) await node.command('CLUSTER', 'MEET', '127.0.0.1', portOf(nodes[0]!));
    nodes.push(node);
  }
  for (const node of nodes) await isKnown(node);
  return nodes;
}

/** Returns the slot of everything that gateways keep, and the node that has it. */
export async function findSlot(nodes: readonly ValkeyServer[]) {
  const slot = Number(await nodes[0]!.command('CLUSTER', 'KEYSLOT', KEY_PREFIX));
  const i = RANGES.findIndex(([from, to]) => slot >= Number(from) && slot <= Number(to));
  return { slot: String(slot), owner: nodes[i]! };
}

/** Returns the node that has everything a gateway keeps, and adds a replica that takes its place when it is gone. */
export async function withReplica(nodes: readonly ValkeyServer[]): Promise<ValkeyServer> {
  const { owner } = await findSlot(nodes);
  const replica = await startValkey(...OPTIONS);
  await replica.command('CLUSTER', 'MEET', '127.0.0.1', portOf(owner));
  await isKnown(replica);
  await replica.command('CLUSTER', 'REPLICATE', String(await owner.command('CLUSTER', 'MYID')));
  const role = () => replica.command('INFO', 'replication');
  await expect.poll(role).toContain('master_link_status:up');
  return owner;
}
