import type { ReportFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import type { ReportPlan } from '../../report/request/plan.ts';

/** A plan with the profile it was made for. */
export interface ProfilePlan extends ReportPlan {
  readonly profile: Profile;
}

/** Turns the flags of `run` and `report create` into a plan. Throws `UsageError` for what the service would refuse. */
export async function planFromFlags(context: Context, flags: ReportFlags): Promise<ProfilePlan> {
  const { planReport } = await import('../../report/request/plan.ts');
  const profile = flags.profile ?? (await context.settings()).profile.value;
  const { metrics, timezone, direct, since, until, period } = flags;
  const plan = planReport({
    profile,
    metrics,
    by: flags.by ?? flags.breakdowns,
    filters: flags.filter,
    timezone,
    direct,
    since,
    until,
    period,
    nowMs: context.host.wallClock(),
  });
  return { ...plan, profile };
}

/** Says on stderr how wall times that do not exist, or exist twice, were resolved. */
export function sayNotes({ console }: Context, { window }: ReportPlan): void {
  for (const note of window.notes) console.note(note);
}
