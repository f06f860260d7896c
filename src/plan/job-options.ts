import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import type { ReportSpec, SpecValue } from '../report/spec.ts';
import { isSwitch, readValue, type SpecFlag } from './flags/flag.ts';
import { type JobOptions, specFlags, type ThisRunFlags } from './flags/run-flags.ts';

/**
 * The options of a job: all that its spec says under the name of a flag, and this run's flags.
 *
 * @throws UsageError for a value that its flag does not take, which a spec from disk may have
 */
export function jobOptions(spec: ReportSpec, thisRun: ThisRunFlags): JobOptions {
  const { name: format, ...shape } = spec.format;
  const { columns } = spec.request;
  const values: Readonly<Record<string, unknown>> = { ...spec, ...shape, format };

  const options: Record<string, unknown> = { header: true };
  for (const [option, flag] of specFlags) {
    const isElsewhere = flag.partOf === 'request' || flag.partOf === 'settings';
    const value = values[option] as SpecValue | undefined;
    if (!isElsewhere && value !== undefined) options[option] = readAgain(option, flag, value);
  }
  // Each value is what its flag gives.
  return { ...thisRun, ...options, ...(columns && { columns }) } as JobOptions;
}

function readAgain(option: string, flag: SpecFlag, value: SpecValue): unknown {
  if (isSwitch(flag)) return value === true;
  try {
    return readValue(flag, String(value));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`The spec of the report has ${option}: ${value}. ${error.message}`, {
      hint: 'It may have been written by another version: run the original command again.',
    });
  }
}
