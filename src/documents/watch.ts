import { signatureOf } from './files.ts';

export interface Watch {
  stop(): void;
}

export interface WatchOptions {
  paths: readonly string[];
  /** The signature of what is in use now. */
  signature: string;
  everyMs: number;
  onChange(): Promise<void>;
}

/**
 * Tells when files have changed and then stood still from one look to the next, so that one which
 * is being written is left alone. Looking works on every file system; notifications do not.
 */
export function watchFiles({ paths, signature, everyMs, onChange }: WatchOptions): Watch {
  let taken = signature;
  let last = signature;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    const current = await signatureOf(paths);
    const hasSettled = current === last;
    last = current;
    if (!hasSettled || current === taken || isStopped) return;
    taken = current;
    await onChange();
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
