/**
 * Does some work while no other process has the lock of a file. The file need not exist. If a
 * process with a lock is killed, the lock is free again after five seconds.
 *
 * @throws an error with the code `ELOCKED` if another process keeps the lock
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { default: lockfile } = await import('proper-lockfile');
  const unlock = await lockfile.lock(path, {
    lockfilePath: `${path}.lock`,
    // The file may not exist yet.
    realpath: false,
    stale: 5_000,
    retries: { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
    // Harmless if another process takes it over: files are replaced atomically.
    onCompromised: () => {},
  });
  try {
    return await work();
  } finally {
    // It fails if another process has taken over the lock.
    await unlock().catch(() => {});
  }
}
