import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import type { ReportSpec, SpecValue } from '../report/spec.ts';
import { isSwitch, readValue, type SpecFlag } from './flags/flag.ts';
import { type JobOptions, specFlags, type ThisRunFlags } from './flags/run-flags.ts';

/**
 * The options of a job: the flags of its spec, and those of this run.
 *
 * @throws UsageError for an invalid value, which a spec from disk may have
 */
export function jobOptions(spec: ReportSpec, thisRun: ThisRunFlags): JobOptions {
  const { name: format, ...shape } = spec.format;
  const { columns } = spec.request;
  const values: Readonly<Record<string, unknown>> = { ...spec, ...shape, format };

  const options: Record<string, unknown> = { header: true };
  for (const [option, flag] of specFlags) {
    const isElsewhere = flag.partOf === 'request' || flag.partOf === 'settings';
    const value = values[option] as SpecValue | undefined;
    if (!isElsewhere && value !== undefined) options[option] = readOption(option, flag, value);
  }
  // Each value was read by its flag.
  return { ...thisRun, ...options, ...(columns && { columns }) } as JobOptions;
}

function readOption(option: string, flag: SpecFlag, value: SpecValue): unknown {
  if (isSwitch(flag)) return value === true;
  try {
    return readValue(flag, String(value));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`Invalid value in the spec: ${option}: ${value}. ${error.message}`, {
      hint: 'Another version may have written it. Run the original command again.',
    });
  }
}
