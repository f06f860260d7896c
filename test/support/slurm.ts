import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isInstalled } from './programs.ts';
import { temporaryFolder } from './run-cli.ts';
import { runToEnd } from './spawn.ts';

/** Returns the reason, or false if Slurm can run here. */
export function whySlurmCannotRun(): string | false {
  if (process.getuid?.() !== 0) return 'not root';

  const lacking = ['slurmctld', 'slurmd', 'sbatch'].find((program) => !isInstalled(program));
  return lacking ? `no ${lacking}` : false;
}

/**
 * Starts a Slurm with one machine and one processor for one test, on loopback.
 * @returns the environment for `sbatch`
 */
export async function startSlurm(): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  const [name = ''] = hostname().split('.');
  for (const part of ['state', 'spool']) mkdirSync(join(folder, part));

  // Only this test uses it, so it needs neither munge nor accounting.
  const settings = `
    ClusterName=adreport
    SlurmctldHost=${name}(127.0.0.1)
    SlurmctldPort=${await findFreePort()}
    SlurmdPort=${await findFreePort()}
    CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
    SlurmUser=root
    SlurmdUser=root
    AuthType=auth/none
    CredType=cred/none
    StateSaveLocation=${folder}/state
    SlurmdSpoolDir=${folder}/spool
    SlurmctldPidFile=${folder}/slurmctld.pid
    SlurmdPidFile=${folder}/slurmd.pid
    ProctrackType=proctrack/pgid
    TaskPlugin=task/none
    SwitchType=switch/none
    MpiDefault=none
    JobAcctGatherType=jobacct_gather/none
    AccountingStorageType=accounting_storage/none
    SchedulerType=sched/builtin
    ReturnToService=2
    NodeName=${name} NodeAddr=127.0.0.1 CPUs=1
    PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
  `;
  const file = join(folder, 'slurm.conf');
  writeFileSync(file, settings.replaceAll(/^ +/gm, ''));

  const env = { SLURM_CONF: file };
  for (const daemon of ['slurmctld', 'slurmd']) {
    const child = spawn(daemon, ['-D'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    const ended = once(child, 'close');
    onTestFinished(async () => {
      child.kill();
      // It writes to its folder until it ends.
      await ended;
    });
  }

  // Jobs wait until the machine is up; only the controller has to respond.
  const isUp = (): boolean => runToEnd('scontrol', ['ping'], folder, env).stdout.includes(' is UP');
  await untilTrue(isUp);
  return env;
}

async function untilTrue(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('Slurm did not start within 30 s.');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Returns a port of this machine that was just free. */
function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
