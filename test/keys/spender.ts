import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { Payer } from '../../src/usage/units.ts';
import { type LedgerAt, openLedger, spendAll } from './spending.ts';

/**
 * A process that spends for clients until there is nothing left. It writes each unit to a file at once, so
 * that what it has spent is known no matter how it ends.
 */

export interface SpenderOptions extends LedgerAt {
  payers: readonly Payer[];
  /** Path of that file, with a line for each unit. */
  log: string;
}

const options: SpenderOptions = JSON.parse(process.argv[2] ?? '{}');
const { ledger, close } = await openLedger(options);
const note = (client: string, units: number) =>
  appendFileSync(options.log, `${JSON.stringify([client, units])}\n`);
// All begin together.
process.send?.('ready');
await once(process, 'message');
// The ledger's timers do not keep the process alive.
const keepAlive = setInterval(() => undefined, 1000);
const refused = await spendAll(ledger, options.payers, note);
process.send?.([...new Set(refused)]);
await close();
clearInterval(keepAlive);
process.disconnect?.();
