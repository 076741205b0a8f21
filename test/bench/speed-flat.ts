import { ask } from './speed-ask.ts';
import { drive, postOf } from './speed-load.ts';
import { neverSeen, small } from './speed-operations.ts';
import { startGateway, type Variables } from './speed-servers.ts';

/**
 * Measures whether memory stays bounded when every request is a new one. A smaller cache is full after fewer
 * requests: ten million at the default size of 128 MiB, and in proportion below that.
 */

const DEFAULT_BYTES = 134_217_728;
const REQUESTS_AT_DEFAULT = 10_000_000;
const STEPS = 8;

export interface Flat {
  requests: number;
  cacheMaxBytes: number;
  /** Resident memory after each eighth. */
  residentMiB: number[];
}

export async function measureFlat(access: Variables, cacheMaxBytes: number): Promise<Flat> {
  const requests = Math.ceil((REQUESTS_AT_DEFAULT * cacheMaxBytes) / DEFAULT_BYTES);
  const gateway = await startGateway(access, {
    more: { CACHE_MAX_BYTES: String(cacheMaxBytes) },
  });
  const variant = neverSeen(small);
  await ask(gateway.url, variant(0));
  let index = 0;
  const next = () => postOf(gateway.url, variant((index += 1)));
  const residentMiB: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    await drive({ url: gateway.url, next }, (answers) => answers >= requests / STEPS);
    residentMiB.push(gateway.residentMiB());
  }
  await gateway.stop();
  return { requests, cacheMaxBytes, residentMiB };
}
