import { describe, expect, test } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { FileInUseError, retryWhileInUse } from '../../src/text/file-in-use.ts';
import { fileHost } from '../support/file-host.ts';

/** An error like Node's. */
function refusal(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

/** A change that fails until a time, and the times at which it was tried. */
function heldUntil(freeMs: number, host = fileHost('win32')) {
  const tries: number[] = [];
  const change = () => {
    tries.push(host.stopwatch());
    if (host.stopwatch() < freeMs) throw refusal('EPERM', 'rename');
    return 'changed';
  };
  return { host, tries, change };
}

describe('a file that another program has open on Windows', () => {
  test('is changed once it is closed', async () => {
    const { host, tries, change } = heldUntil(3_000);

    expect(await retryWhileInUse(host, change)).toBe('changed');

    const pauses = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(500);
    expect(tries.at(-1)).toBeLessThan(3_500);
  });

  test('is tried for exactly ten seconds', async () => {
    const { host, tries, change } = heldUntil(Number.POSITIVE_INFINITY);

    const changing = retryWhileInUse(host, change);

    await expect(changing).rejects.toThrow(new FileInUseError(undefined));
    expect(tries.at(-1)).toBe(10_000);
  });

  test('is not awaited after the user ends the program', async () => {
    const controller = new AbortController();
    const { host, change } = heldUntil(3_000, fileHost('win32', controller.signal));
    controller.abort(new InterruptedError(130));

    await expect(retryWhileInUse(host, change)).rejects.toBe(controller.signal.reason);
  });
});

test.each([
  { platform: 'win32', code: 'EPERM', syscall: 'rename', isTriedAgain: true },
  { platform: 'win32', code: 'EACCES', syscall: 'rename', isTriedAgain: true },
  { platform: 'win32', code: 'EBUSY', syscall: 'rename', isTriedAgain: true },
  { platform: 'win32', code: 'EBUSY', syscall: 'open', isTriedAgain: true },
  { platform: 'win32', code: 'EPERM', syscall: 'open', isTriedAgain: false },
  { platform: 'win32', code: 'ENOSPC', syscall: 'rename', isTriedAgain: false },
  { platform: 'linux', code: 'EPERM', syscall: 'rename', isTriedAgain: false },
  { platform: 'darwin', code: 'EBUSY', syscall: 'rename', isTriedAgain: false },
] as const)(
  '$syscall refused with $code on $platform is tried again: $isTriedAgain',
  async ({ platform, code, syscall, isTriedAgain }) => {
    let tries = 0;
    const change = (): void => {
      tries += 1;
      if (tries === 1) throw refusal(code, syscall);
    };

    const changing = retryWhileInUse(fileHost(platform), change);

    if (isTriedAgain) await expect(changing).resolves.toBeUndefined();
    else await expect(changing).rejects.toMatchObject({ code });
  },
);
