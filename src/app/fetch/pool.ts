/** A place where only so much work is under way at a time; the rest waits in the order it came. */
export interface Pool {
  /** The result of the work, once there was room for it. Throws what the work throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param size how much work at a time, 1 or more */
export function createPool(size: number): Pool {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(work) {
      if (running >= size) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // The place is handed on, so that nobody who comes in between takes it.
        if (next) next();
        else running -= 1;
      }
    },
  };
}
