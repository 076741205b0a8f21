import { signatureOf } from './files.ts';

export interface Watch {
  stop(): void;
}

export interface WatchOptions {
  paths: readonly string[];
  /** The signature of the files as they are in use now (`signatureOf`). */
  signature: string;
  everyMs: number;
  /**
   * Called when files have changed. Resolves with whether they could be read, whatever is in them; if not, it is called
   * again (`isAgain`) at the next look. Must not reject.
   */
  onChange(isAgain: boolean): Promise<boolean>;
}

/** Files that are still changing after this many looks are read all the same: a revoked key must stop working. */
const MOST_UNSETTLED = 3;

/**
 * Calls `onChange` when files have changed and then stayed the same from one look to the next, so that a file
 * which is being written is left alone. The files are polled: notifications of the operating system do not
 * work on every file system.
 */
export function watchFiles({ paths, signature, everyMs, onChange }: WatchOptions): Watch {
  let reported = signature;
  let previous = signature;
  let isUnread = false;
  let unsettled = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    const current = await signatureOf(paths);
    unsettled = current === previous ? 0 : unsettled + 1;
    previous = current;
    const isAgain = isUnread && current === reported;
    const isDue = unsettled === 0 || unsettled >= MOST_UNSETTLED;
    if (!isDue || (current === reported && !isAgain) || isStopped) return;
    unsettled = 0;
    reported = current;
    isUnread = !(await onChange(isAgain));
  }

  function lookLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => void look().finally(lookLater), everyMs);
    timer.unref();
  }

  lookLater();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
