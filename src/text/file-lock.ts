/**
 * Runs `work` while no other process holds the lock on a file. The file need not exist. If a
 * process is killed, its lock is free after five seconds.
 *
 * @throws an error with the code `ELOCKED` if another process does not release the lock
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { default: lockfile } = await import('proper-lockfile');
  const unlock = await lockfile.lock(path, {
    lockfilePath: `${path}.lock`,
    // The file may not exist yet.
    realpath: false,
    stale: 5_000,
    retries: { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
    // It is harmless if another process takes over the lock, because files are replaced atomically.
    onCompromised: () => {},
  });
  try {
    return await work();
  } finally {
    // Unlocking fails if another process has taken over the lock.
    await unlock().catch(() => {});
  }
}
