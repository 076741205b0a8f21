/** What is told of a server that is in trouble. */
export interface ServerTrouble {
  /** Called once for a trouble that lasts, with its reason. */
  begins(reason: string): void;
  ends(): void;
}

export interface Trouble {
  note(reason: string): void;
  end(): void;
  /** Whether it lasts, and has been told. */
  isTold(): boolean;
}

/** Shorter troubles are not told. */
const TOLD_AFTER_MS = 1000;

/** Tells of a trouble once it has lasted for a while, and when it is over. */
export function createTrouble({ begins, ends }: ServerTrouble): Trouble {
  let since: number | undefined;
  let isTold = false;
  return {
    note(reason) {
      since ??= performance.now();
      if (isTold || performance.now() - since < TOLD_AFTER_MS) return;
      isTold = true;
      begins(reason);
    },
    end() {
      if (isTold) ends();
      isTold = false;
      since = undefined;
    },
    isTold: () => isTold,
  };
}
