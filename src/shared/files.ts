import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import { makeFolder } from '../config/folder.ts';
import { METERS } from '../meters.ts';
import { type Clock, monthAt } from '../time.ts';
import type { Shared } from './shared.ts';
import { sharedBySqlite } from './sqlite/answers.ts';
import { readCounted } from './sqlite/counted.ts';
import { isDamage } from './sqlite/failures.ts';
import { ANSWERS_FILE, IN_MEMORY, LEDGER_FILE, renameDamaged } from './sqlite/names.ts';
import { unitsInSqlite } from './sqlite/units.ts';
import type { Counted, UnitStore } from './units.ts';

/** Opens the state that the processes of one machine share, in the files of DATA_DIR; or the same in memory. */

export interface Files {
  units: UnitStore;
  /** Undefined if no answers are kept. */
  shared: Shared | undefined;
  /** Whether all of it can be used at present. */
  isUp(): boolean;
  /** Whether the ledger can. */
  canCount(): boolean;
}

export interface OpenContext {
  now: Clock;
  monotonic: Clock;
  log: Logger;
  /** Whether the state is only read, for a report: a missing or damaged ledger is an error then. */
  isReport?: boolean | undefined;
}

/** Options for opening a file. `down`: what cannot be used at present. */
interface Opening extends OpenContext {
  down: Set<'units' | 'answers'>;
}

/** Throws ConfigError. */
export function openFiles(config: Config, context: OpenContext): Files {
  const opening: Opening = { ...context, down: new Set() };
  const units = openLedgerFile(config, opening);
  const shared = openAnswers(fileIn(config, ANSWERS_FILE), config.keptMaxBytes, opening);
  const { down } = opening;
  return { units, shared, isUp: () => down.size === 0, canCount: () => !down.has('units') };
}

/**
 * Returns what the ledger of DATA_DIR has counted this month, for a process that counts on a server from now on. If the
 * ledger cannot be read, the server goes on without it.
 */
export function countedInFiles(
  { dataDir, timezone }: Config,
  { now, log }: OpenContext,
): Counted[] {
  const path = join(dataDir, LEDGER_FILE);
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return [];
    const counted = readCounted(path, monthAt(now(), timezone)).filter(({ used }) => used > 0);
    const units = Object.fromEntries(counted.map(({ id, used }) => [id.meter, used]));
    if (counted.length > 0)
      log.info(
        { path, units },
        'the server adds what this ledger has counted this month and the server has not yet',
      );
    return counted;
  } catch (error) {
    log.error(
      { path, reason: String(error) },
      'the ledger cannot be read: its counts of this month may be missing on the server',
    );
    return [];
  }
}

/** Opens the same in memory: nothing of it outlives the process. */
export function openMemory(keptMaxBytes: number, context: OpenContext): Files {
  const opening: Opening = { ...context, down: new Set() };
  const units = openUnits(IN_MEMORY, opening);
  const shared = openAnswers(IN_MEMORY, keptMaxBytes, opening);
  return { units, shared, isUp: () => true, canCount: () => true };
}

function fileIn({ dataDir }: Config, name: string): string {
  try {
    makeFolder(dataDir);
    return join(dataDir, name);
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot create ${dataDir}: ${String(error)}`);
  }
}

function openUnits(path: string, { now, log, down }: Opening): UnitStore {
  const onTrouble = {
    begins(reason: string) {
      down.add('units');
      log.error(
        { reason, path },
        'the ledger is unusable: nothing is spent that counts against a limit or a budget; other units are counted in memory, and lost if this process ends first',
      );
    },
    ends() {
      down.delete('units');
      log.info('the ledger is usable again');
    },
    moved: () =>
      log.warn(
        { path },
        'the ledger was removed or replaced: its counts were carried over to this file',
      ),
  };
  try {
    return unitsInSqlite({ path, now, onTrouble });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot use ${path}: ${String(error)}`, { cause: error });
  }
}

/** Opens the ledger. A damaged one is put aside if nothing is limited: a new count is better than none. */
function openLedgerFile(config: Config, opening: Opening): UnitStore {
  const exists = existsSync(join(config.dataDir, LEDGER_FILE));
  if (opening.isReport && !exists)
    throw new ConfigError(`DATA_DIR: there is no ${LEDGER_FILE} in ${config.dataDir}`);
  const path = fileIn(config, LEDGER_FILE);
  try {
    return openUnits(path, opening);
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    if (!isDamage(cause)) throw error;
    const isLimited = METERS.some((meter) => config.limits[meter] !== undefined);
    if (isLimited || config.clientsFile !== undefined || opening.isReport)
      throw new ConfigError(
        `DATA_DIR: ${path} is damaged. To start this month's counts from zero, including those for limits and budgets, move the file away`,
      );
    const as = renameDamaged(path);
    opening.log.error({ as }, 'the ledger was damaged: units count from zero again');
    return openUnits(path, opening);
  }
}

/** `maxBytes` 0: no answers are kept. */
function openAnswers(path: string, maxBytes: number, opening: Opening): Shared | undefined {
  if (maxBytes === 0) return undefined;
  const { now, monotonic, log, down } = opening;
  const onTrouble = {
    begins(reason: string) {
      down.add('answers');
      log.error({ reason }, 'answers are neither shared with other processes nor kept');
    },
    ends() {
      down.delete('answers');
      log.info('answers are shared and kept again');
    },
    putAside: (as: string) =>
      log.error({ as }, 'the file of kept answers was damaged: a new one is begun'),
  };
  return sharedBySqlite({ path, maxBytes, now, monotonic, onTrouble });
}
