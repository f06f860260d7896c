import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import { type CheckFlags, checkFlags } from './flags/check-flags.ts';
import { isSwitch, readValue, type SpecFlag } from './flags/flag.ts';
import { type JobOptions, specFlags, type ThisRunFlags } from './flags/run-flags.ts';
import type { ReportSpec, SpecValue } from './spec.ts';

/**
 * Merges the flags of a spec with those of this run.
 *
 * @throws UsageError for an invalid value, which a spec from disk may have
 */
export function jobOptions(spec: ReportSpec, thisRun: ThisRunFlags): JobOptions {
  const isElsewhere = ({ partOf }: SpecFlag) => partOf === 'request' || partOf === 'settings';
  const own = [...specFlags].filter(([, flag]) => !isElsewhere(flag));
  const options = readOptions(spec, own);
  const { columns } = spec.request;
  // Each value was read by its flag.
  return { ...thisRun, ...options, ...(columns && { columns }) } as JobOptions;
}

/** Throws as `jobOptions`. */
export function checksOf(spec: ReportSpec): CheckFlags {
  return readOptions(spec, Object.entries(checkFlags.flags));
}

function readOptions(
  spec: ReportSpec,
  flags: readonly (readonly [option: string, flag: SpecFlag])[],
): Record<string, unknown> {
  const { name: format, ...shape } = spec.format;
  const values: Readonly<Record<string, unknown>> = { ...spec, ...shape, format };

  const options: Record<string, unknown> = {};
  for (const [option, flag] of flags) {
    const value = values[option] as SpecValue | undefined;
    if (value !== undefined) options[option] = readOption(option, flag, value);
  }
  return options;
}

function readOption(option: string, flag: SpecFlag, value: SpecValue): unknown {
  if (isSwitch(flag)) return value === true;
  try {
    return readValue(flag, String(value));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(
      `The history has an invalid value for ${option}: ${value}. ${error.message}`,
      {
        hint: 'Another version may have written it. Run the original command again.',
      },
    );
  }
}
