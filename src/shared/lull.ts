/** Tells when nothing is under way, for work that can wait until then. */
interface Lull {
  /** Marks something as under way until the returned function is called; calling that again does nothing. */
  begin(): () => void;
  /** Resolves when nothing is under way. */
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
