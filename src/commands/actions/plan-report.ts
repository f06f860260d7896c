import type { Context } from '../../context.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import type { ReportPlan } from '../../report/plan.ts';
import { breakdownsOf, type ReportFlags } from '../flags.ts';

/** A plan with the profile it was made for. */
export interface ProfilePlan extends ReportPlan {
  readonly profile: Profile;
}

/** Turns the flags of `run` and `report create` into a plan, and says on stderr how odd wall times were resolved. */
export async function planFromFlags(context: Context, flags: ReportFlags): Promise<ProfilePlan> {
  const { planReport } = await import('../../report/plan.ts');
  const profile = flags.profile ?? (await context.settings()).profile.value;
  const { metrics, timezone, direct, since, until, period } = flags;
  const plan = planReport({
    profile,
    metrics,
    by: breakdownsOf(flags),
    filters: flags.filter,
    timezone,
    direct,
    since,
    until,
    period,
    nowMs: context.host.wallClock(),
  });
  for (const note of plan.window.notes) context.console.note(note);
  return { ...plan, profile };
}
