import { createHash } from 'node:crypto';
import type { ServiceAccount } from '../account/account.ts';
import type { Settings } from '../account/resolve.ts';
import { isUnnamed } from '../account/sign-in.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import type { ReportFlags } from './flags/report-flags.ts';
import { specFlags } from './flags/run-flags.ts';
import { chooseFormat } from './format-choice.ts';
import type { PlanTools } from './plan-tools.ts';
import { parseRequest } from './request.ts';
import type { ReportSpec, SpecFormat, SpecValue } from './spec.ts';

/** Flags that a spec is read from: those of `run`, or fewer. */
export type SpecSourceFlags = ReportFlags & Partial<OutputFlags>;

type SpecTools = Pick<PlanTools, 'console' | 'host' | 'flags'>;

/**
 * Reads a spec from flags and settings.
 *
 * @param nowMs milliseconds since 1970
 * @throws UsageError with all mistakes in the request and its period
 */
export async function specFromFlags(
  tools: SpecTools,
  account: ServiceAccount,
  { options, nowMs }: { readonly options: SpecSourceFlags; readonly nowMs: number },
): Promise<ReportSpec> {
  const settings = await account.settings();
  const { encoding, windowClock } = settings;
  const spec = parseRequest({
    platform: tools.host.platform,
    profile: options.profile ?? settings.profile.value,
    metrics: options.metrics,
    by: options.by ?? options.breakdowns,
    filters: options.filter,
    countries: options.country,
    names: options,
    columns: options.columns,
    timezone: options.timezone,
    period: options.period,
    since: options.since,
    until: options.until,
    nowMs,
  });

  return {
    format: formatOf(tools, options),
    ...topLevelMembers(options),
    ...spec,
    ...ownerOf(account, settings),
    ...(encoding.value !== 'json' && { encoding: encoding.value }),
    ...(windowClock.value !== 'instant' && { windowClock: windowClock.value }),
  };
}

/** Picks the given flags that are top-level members of a spec. */
function topLevelMembers(options: SpecSourceFlags): Partial<ReportSpec> {
  const values: Readonly<Record<string, SpecValue | undefined>> = { ...options };
  const members: Record<string, SpecValue> = {};
  for (const [option, flag] of specFlags) {
    const value = values[option];
    const isDefault = value === undefined || value === false || value === 0 || value === '-';
    if (flag.partOf === undefined && !isDefault) members[option] = value;
  }
  return members;
}

/** Collects the format and the flags that shape the file. */
function formatOf(tools: SpecTools, options: SpecSourceFlags): SpecFormat {
  const name = chooseFormat(tools, { clobber: true, ...options });
  const values: Readonly<Record<string, unknown>> = options;

  const shape: Record<string, SpecValue> = {};
  for (const [option, flag] of specFlags) {
    const value = values[option];
    const belongsToFormat = !flag.formats || flag.formats.includes(name);
    const isShaping = flag.partOf === 'format' && option !== 'format';
    if (isShaping && belongsToFormat && value !== undefined) shape[option] = value as SpecValue;
  }
  return { name, ...shape };
}

/** Describes the account, login and service of a report. */
export function ownerOf(
  account: ServiceAccount,
  settings: Settings,
): Pick<ReportSpec, 'account' | 'login' | 'service'> {
  const { hostname = '', href = '' } = settings.baseUrl.value ?? {};
  // Without the URL, because the port of a local server changes.
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
  const service = account.isLocal || isLoopback ? 'local' : href;
  const email = settings.email.value;
  return {
    ...(!isUnnamed(settings) && { account: settings.account.value }),
    ...(email !== undefined && { login: maskedLogin(email) }),
    ...(service !== '' && { service }),
  };
}

/**
 * Formats `b…@example.com#3f2a9c1b2d4e5f60`, which identifies an e-mail address without revealing
 * it.
 */
export function maskedLogin(email: string): string {
  const address = email.toLowerCase();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return `${address.charAt(0)}…@${domain}#${hash}`;
}
