import type { Context } from '../../context.ts';
import type { RunOptions } from '../run.ts';
import type { Job } from './plan-job.ts';
export async function planSavedReports(_c: Context, _o: RunOptions, _n: readonly string[]): Promise<Job[]> {
  return [];
}
