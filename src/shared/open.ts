import type { Config, Upstream } from '../config.ts';
import { type Files, type OpenContext, countedInFiles, openFiles, openMemory } from './files.ts';
import { withNamespace } from './shared.ts';
import type { SharedState } from './state.ts';
import { type ObserveStoreCall, watchedShared, watchedUnits } from './watched.ts';

/** Opens the state that processes share: on the server of SHARED_URL, or else in the files of DATA_DIR. */

interface OpenOptions extends OpenContext {
  /** Called after each store call that responses wait for; undefined: calls are not observed. */
  observe?: ObserveStoreCall | undefined;
  /** Whether the sandbox's answers are kept, too. */
  keepsInMemory?: boolean | undefined;
}

/** Throws ConfigError. */
export async function openSharedState(config: Config, given: OpenOptions): Promise<SharedState> {
  const { observe } = given;
  const state = await open(config, given);
  if (!observe) return state;
  const { shared, units } = state;
  return {
    ...state,
    units: watchedUnits(units, observe),
    shared: shared && watchedShared(shared, observe),
  };
}

async function open(config: Config, given: OpenOptions): Promise<SharedState> {
  const { upstream, sharedUrls, keptMaxBytes } = config;
  if (!upstream) {
    if (sharedUrls.length > 0) given.log.warn('SHARED_URL: ignored, since the sandbox is served');
    // The sandbox's data and units are not real: they are neither shared nor kept after the process ends.
    return local('memory', openMemory(given.keepsInMemory ? keptMaxBytes : 0, given));
  }
  const opened =
    sharedUrls.length > 0
      ? await onServer(config, upstream, given)
      : local('sqlite', openFiles(config, given));
  const { shared } = opened;
  return { ...opened, shared: shared && withNamespace(namesOf(config, upstream), shared) };
}

/** Opens the state on the server. Its client library is large, and loaded only if a server is configured. */
async function onServer(
  config: Config,
  upstream: Upstream,
  given: OpenOptions,
): Promise<SharedState> {
  const { openOnServer } = await import('./valkey/open.ts');
  return openOnServer(config, upstream, { ...given, before: countedInFiles(config, given) });
}

function local(kind: SharedState['store']['kind'], files: Files): SharedState {
  const { units, shared, isUp, canCount } = files;
  const close = () => shared?.close() ?? Promise.resolve();
  return { units, shared, news: undefined, store: { kind, isUp, canCount }, close };
}

/** Returns what stored answers depend on: with another upstream or time zone, they are of no use. */
const namesOf = ({ timezone }: Config, { groupA, groupB }: Upstream) => [
  groupA.url,
  groupB.url,
  timezone,
];
