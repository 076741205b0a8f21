/** Tells when nothing is under way, for what can wait until then. */
interface Lull {
  /** Something is under way until what this returns is called; calling that again does nothing. */
  begin(): () => void;
  /** Resolves when nothing is. */
  wait(): Promise<void>;
}

export function createLull(): Lull {
  let underWay = 0;
  let waiting: (() => void)[] = [];

  function end(): void {
    underWay -= 1;
    if (underWay > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    begin() {
      let isOver = false;
      underWay += 1;
      return () => {
        if (!isOver) end();
        isOver = true;
      };
    },
    wait: () =>
      underWay > 0 ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(),
  };
}
