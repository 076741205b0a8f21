import { signatureOf } from './files.ts';

/** Notices changes of files by polling: manifests (manifests.ts) and the clients file (clients/clients.ts). */

interface FileWatchOptions {
  paths: readonly string[];
  /** The signature of the files as they are in use now (`signatureOf`). */
  signature: string;
  everyMs: number;
  /**
   * Called when files have changed. Resolves with whether they could be read, whatever is in them; if not, it is called
   * again (`isRetry`) at the next check. Must not reject.
   */
  onChange(isRetry: boolean): Promise<boolean>;
}

/** Files that are still changing after this many checks are read all the same: a revoked key must stop working. */
const MAX_UNSETTLED_CHECKS = 3;

/**
 * Calls `onChange` when files have changed and then stayed the same from one check to the next, so that a file
 * which is being written is left alone. The files are polled: notifications of the operating system do not
 * work on every file system. Returns a function that ends the watch.
 */
export function watchFiles({ paths, signature, everyMs, onChange }: FileWatchOptions): () => void {
  let reported = signature;
  let previous = signature;
  let isUnread = false;
  let unsettledChecks = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function check(): Promise<void> {
    const current = await signatureOf(paths);
    unsettledChecks = current === previous ? 0 : unsettledChecks + 1;
    previous = current;
    const isRetry = isUnread && current === reported;
    const isDue = unsettledChecks === 0 || unsettledChecks >= MAX_UNSETTLED_CHECKS;
    if (!isDue || (current === reported && !isRetry) || isStopped) return;
    unsettledChecks = 0;
    reported = current;
    isUnread = !(await onChange(isRetry));
  }

  function scheduleCheck(): void {
    if (isStopped) return;
    timer = setTimeout(() => void check().finally(scheduleCheck), everyMs);
    timer.unref();
  }

  scheduleCheck();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
