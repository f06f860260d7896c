import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTerminal } from '../support/pty.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { launcher } from '../support/spawn-cli.ts';

/** The program in a process of its own; killed, should it outlive the test. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [launcher, 'local-server', ...args], {
    env: { ...process.env, ADREPORT_CONFIG_DIR: temporaryFolder() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let seen = '';
  const firstLine = new Promise<string>((found) => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      seen += piece;
      if (seen.includes('\n')) found(seen.slice(0, seen.indexOf('\n')));
    });
  });
  const end = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((ended) => {
    child.on('exit', (code, signal) => ended({ code, signal }));
  });
  return { child, firstLine, end };
}

/** Whether a process runs; one that has ended and that nobody has asked about does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = existsSync('/proc/self/stat') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('as a process', () => {
  test('SIGTERM ends it though nobody reads its stderr', async () => {
    const { child, firstLine, end } = start('--port', '0', '--json');
    const { url } = JSON.parse(await firstLine);
    // More request lines than a pipe holds.
    const ask = async () => (await fetch(`${url}/${'x'.repeat(190)}`)).text();
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 100 }, ask));
    child.kill('SIGTERM');
    expect(await end).toEqual({ code: 0, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with exit 0, once it has answered', async (signal) => {
    const { child, firstLine, end } = start('--port', '0', '--json');
    const log = text(child.stderr);
    const ready = JSON.parse(await firstLine);
    expect(ready).toMatchObject({ event: 'listening', pid: child.pid });
    const [account] = ready.accounts;
    // The connection stays open after the answer, and must not keep the server.
    const answer = await fetch(`${ready.url}/campaigns`, { headers: { authorization: account.token } });
    expect(answer.status).toBe(200);
    await answer.text();
    child.kill(signal);
    expect(await end).toEqual({ code: 0, signal: null });
    expect(await log).toMatch(/GET \/campaigns 200 /);
    expect(await log).not.toContain(account.token);
    await expect(fetch(ready.url)).rejects.toThrow();
  });

  test('a port that is taken: exit 2, and what to do', async () => {
    const { url } = JSON.parse(await start('--port', '0', '--json').firstLine);
    const { child, end } = start('--port', new URL(url).port);
    expect(await text(child.stderr)).toMatch(/another program listens there[\s\S]*--port 0/);
    expect((await end).code).toBe(2);
  });
});

describe.skipIf(process.platform === 'win32')('exec', () => {
  const exec = (script: string) => start('exec', '--', 'sh', '-c', script);

  test('SIGTERM reaches the command and what it started; none is left', async () => {
    const { child, firstLine, end } = exec('sleep 60 & echo "$! $$"; wait');
    const pids = (await firstLine).split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    child.kill('SIGTERM');
    expect((await end).code).toBe(143);
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  test('what the command leaves running ends with it', async () => {
    const { firstLine, end } = exec('sleep 60 >/dev/null 2>&1 & echo $!; exit 3');
    const pid = Number(await firstLine);
    expect((await end).code).toBe(3);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('in a terminal the command can read from it, and Ctrl-C ends both', async () => {
    // By `exec`: a shell that is just about to start a program may lose the signal.
    const script = 'read answer; echo "got $answer by $$"; exec sleep 60';
    const args = [launcher, 'local-server', 'exec', '--', 'sh', '-c', script];
    const terminal = openTerminal(process.execPath, args, { env: { ADREPORT_CONFIG_DIR: temporaryFolder() } });
    onTestFinished(() => terminal.close());
    terminal.type('yes\r');
    await terminal.waitFor(/got yes by \d+/);
    const pid = Number(/by (\d+)/.exec(terminal.output)?.[1]);
    terminal.type('\u0003');
    expect(await terminal.exitCode).toBe(130);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('a second signal ends it at once, with a command that will not listen', async () => {
    const { child, firstLine, end } = exec('trap "" TERM; echo $$; while :; do sleep 1; done');
    const pid = Number(await firstLine);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(['SIGTERM', 'SIGINT']).toContain((await end).signal);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
