/** Does so much work at a time; the rest waits in the order in which it came. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Waits until all work has ended. The first error calls the rest off, and is thrown. */
export async function settleAll(
  works: readonly Promise<void>[],
  callOff: () => void,
): Promise<void> {
  const errors: unknown[] = [];
  const ends = works.map((work) =>
    work.catch((error) => {
      errors.push(error);
      callOff();
    }),
  );
  await Promise.all(ends);
  if (errors.length > 0) throw errors[0];
}
