import { Option } from 'commander';
import { type CommandBuilder, declareCommand } from './command.ts';
import { parseTimeout } from './flags.ts';

export interface DoctorOptions {
  readonly account?: string;
  readonly baseUrl?: string;
  readonly local?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

export const doctorCommand: CommandBuilder = (perform) =>
  declareCommand('doctor', [
    ['adreport doctor', 'exit 0, or the code that a command would end with'],
    ['adreport doctor --local', 'what needs no account'],
    ['adreport doctor --json --timeout 5s', 'an array of findings, for programs'],
  ])
    .option('--account <name>', 'the stored account to check')
    .option('--base-url <url>', 'address of the service')
    .option('--local', 'check against a local server inside this process')
    .addOption(
      new Option('--timeout <duration>', 'how long a check may take').argParser(parseTimeout).default(10_000, '10s'),
    )
    // A check that fails in passing is a finding.
    .setOptionValue('retries', 0)
    .action(perform(async () => (await import('./actions/doctor.ts')).doctor));
