import { expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';

const HOUR_MS = 3_600_000;
const STATE = '{ usage { credits { forecast { stretch } } } }';

interface State {
  usage: { credits: { forecast: { stretch: number } | null } };
}

test('a gateway restarted after hours without a request goes on saving', async () => {
  const env = { CREDITS_MONTHLY_LIMIT: '300', DATA_DIR: temporaryFolder() };
  const bench = await open();
  bench.clock.set('2026-10-31T21:00:00Z');
  let gateway = await bench.another(env);
  const stretches: number[] = [];
  const stretch = async () => (await gateway.get<State>(STATE)).usage.credits.forecast?.stretch;
  for (let hour = 0; hour < 12 * 24; hour += 1) {
    const isNight = hour % 24 < 7 || hour % 24 > 20;
    for (let part = 0; part < 4; part += 1) {
      const convert = ['USD', 'TRY', 'EUR'][(7 * hour + 2 * part) % 3]!;
      const question = `{ cryptoAssets(first: 1, convert: ${convert}) { nodes { volume24h } } }`;
      if (!isNight) await gateway.get(question);
      bench.clock.advance(HOUR_MS / 4);
    }
    if (hour % 24 !== 4 || hour < 3 * 24) continue;
    const before = await stretch();
    gateway = await bench.another(env);
    stretches.push((await stretch())! / before!);
  }
  for (const change of stretches) expect(Math.abs(Math.log(change))).toBeLessThan(Math.log(1.5));
});
