import { Pool } from 'undici';
import { SINCE } from './speed-operations.ts';

/** A group, and a path below its address. */
export type DirectRequest = readonly ['A' | 'B', string];

/** The requests that a program without a gateway would send for the page of the benchmark. */
const PAGE: readonly DirectRequest[] = [
  ['A', '/v1/fx/rates'],
  ['A', '/v1/fx/rates/USDTRY/history'],
  ['A', '/v1/macro/series/TP.DK.USD.A'],
  ['B', `/legislation/changes?start=${SINCE}`],
  ['B', '/calendar/events'],
  ['B', '/crypto/prices?convert=TRY&limit=500'],
];

/** Sends all of them at once over connections that stay open, and parses the bodies. */
export function createDirect(
  access: Readonly<Record<string, string | undefined>>,
  requests: readonly DirectRequest[] = PAGE,
) {
  const urls = { A: access['GROUP_A_URL']!, B: access['GROUP_B_URL']! };
  const headers = {
    A: { 'x-api-key': access['GROUP_A_KEY']! },
    B: { authorization: `apikey ${access['GROUP_B_KEY']!}`, accept: 'application/json' },
  };
  const pool = new Pool(new URL(urls.A).origin, { connections: 32 });
  const get = async (group: 'A' | 'B', path: string) => {
    const { pathname } = new URL(urls[group]);
    const target = { method: 'GET', path: pathname + path, headers: headers[group] } as const;
    const { body, statusCode } = await pool.request(target);
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    return body.json();
  };
  return {
    ask: () => Promise.all(requests.map(([group, path]) => get(group, path))),
    close: () => pool.close(),
  };
}
