/** Limits how many tasks run at the same time; the others wait in line. */
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

/** Waits until all tasks have ended. An error cancels the others; the first one is thrown. */
export async function settleAll(
  tasks: readonly Promise<void>[],
  cancel: () => void,
): Promise<void> {
  const errors: unknown[] = [];
  const settled = tasks.map((task) =>
    task.catch((error) => {
      errors.push(error);
      cancel();
    }),
  );
  await Promise.all(settled);
  if (errors.length > 0) throw errors[0];
}
