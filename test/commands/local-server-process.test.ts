import { describe, expect, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { isRunning, launcher, startCli } from '../support/spawn.ts';

/** Starts the server in a child process, and reads its ready line. */
const start = (...args: string[]) => startCli(['local-server', ...args]);
async function serve() {
  const server = start('--port', '0', '--json');
  return { ...server, ready: JSON.parse(await server.printed(/^\{"event".*\n/)) };
}

describe.skipIf(process.platform === 'win32')('as a process', () => {
  test('SIGINT ends it with exit 0 after open calls', async () => {
    const { child, ready, ended } = await serve();
    expect(ready).toMatchObject({ event: 'listening', pid: child.pid });
    const authorization: string = ready.accounts[0].token;
    // The connection stays open after the answer, and must not keep the server running.
    const answer = await fetch(`${ready.url}/campaigns`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    await answer.text();

    child.kill('SIGINT');

    const { stderr, ...end } = await ended;
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(stderr).toMatch(/GET \/campaigns 200\n/);
    expect(stderr).not.toContain(authorization);
    await expect(fetch(ready.url)).rejects.toThrow();
  });
});

describe.skipIf(process.platform === 'win32')('exec', () => {
  /** Runs a script, which prints the ids of its processes first. */
  async function exec(script: string) {
    const started = start('exec', '--', 'sh', '-c', script);
    const pids = (await started.printed(/^\d+.*\n/)).split(' ').map(Number);
    return { ...started, pids };
  }
  const expectGone = (pids: readonly number[]) =>
    expect.poll(() => pids.filter(isRunning)).toEqual([]);

  test('SIGHUP ends the command and its child processes', async () => {
    // Started by a program of its own, because a fork of the shell may lose a signal.
    const sleeping = `sh -c 'echo "$$ $PPID"; exec sleep 60'`;
    const { child, ended, pids } = await exec(`trap "wait; exit 7" TERM; ${sleeping} & wait`);

    expect(pids.map(isRunning)).toEqual([true, true]);

    child.kill('SIGHUP');

    // The command chooses its exit code.
    expect(await ended).toMatchObject({ exitCode: 7 });
    await expectGone(pids);
  });

  test('on a terminal the command can read input, and Ctrl-C ends both', async () => {
    // With `exec`, because a shell that is about to start a program may lose the signal.
    const script = 'read answer; echo "got $answer by $$"; exec sleep 60';
    const args = [launcher, 'local-server', 'exec', '--', 'sh', '-c', script];
    const terminal = openTerminal(process.execPath, args, {
      env: { ADREPORT_CONFIG_DIR: temporaryFolder() },
    });
    terminal.type('yes\r');
    await terminal.waitFor(/got yes by \d+/);
    const pid = Number(/by (\d+)/.exec(terminal.output)?.[1]);
    terminal.type('\u0003');

    expect(await terminal.exitCode).toBe(130);
    await expectGone([pid]);
  });
});
