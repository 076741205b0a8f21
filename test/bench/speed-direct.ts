import { Pool } from 'undici';
import { SINCE } from './speed-operations.ts';

/** The requests that a program without a gateway would send for the page of the benchmark. */
const PATHS = [
  ['A', '/v1/fx/rates'],
  ['A', '/v1/fx/rates/USDTRY/history'],
  ['A', '/v1/macro/series/TP.DK.USD.A'],
  ['B', `/legislation/changes?start=${SINCE}`],
  ['B', '/calendar/events'],
  ['B', '/crypto/prices?convert=TRY&limit=500'],
] as const;

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const span = (start: number, end: number) => `start=${day(start)}&end=${day(end)}`;

/** The requests that the gateway sends for it: with the days likely to be asked for next. */
const WIDENED = [
  ['A', '/v1/fx/rates'],
  ['A', `/v1/fx/rates/USDTRY/history?${span(-366, 0)}`],
  ['A', '/v1/macro/catalog'],
  ['A', `/v1/macro/series/TP.DK.USD.A?${span(-366, 0)}`],
  ['B', `/legislation/changes?${span(-92, 0)}`],
  ['B', `/calendar/events?${span(-31, 62)}`],
  ['B', '/crypto/prices?convert=TRY&limit=500'],
] as const;

/** Sends all of them at once over connections that stay open, and parses the bodies. */
export function createDirect(
  access: Readonly<Record<string, string | undefined>>,
  isWidened = false,
) {
  const paths = isWidened ? WIDENED : PATHS;
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
    ask: () => Promise.all(paths.map(([group, path]) => get(group, path))),
    close: () => pool.close(),
  };
}
