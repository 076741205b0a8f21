/** A time in which nothing is said. */
export interface Pause {
  isOn(): boolean;
  begin(ms: number): void;
  end(): void;
}

/** `onOver`: called when the time is over, not where it is ended before. */
export function createPause(onOver: () => void): Pause {
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    isOn: () => timer !== undefined,
    begin(ms) {
      end();
      timer = setTimeout(() => {
        end();
        onOver();
      }, ms).unref();
    },
    end,
  };
}
