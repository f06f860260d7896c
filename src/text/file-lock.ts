/**
 * Does some work while no other process has the lock of a file, which need not exist. Five seconds
 * after a process was killed, its lock is free again.
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
