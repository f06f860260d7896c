import type { Figure } from '../figures/figures.ts';
import type { Grouping } from '../figures/grouping.ts';
import type { GatheredRows } from './files/gather.ts';
import type { Sources } from './sources/find-sources.ts';
import type { ViewOptions } from './view-flags.ts';

/** Files that were read, and the flags of the view. */
export interface View {
  readonly paths: readonly string[];
  readonly options: ViewOptions;
  readonly sources: Sources;
  readonly gathered: GatheredRows;

  /** The groups of the requested window. */
  readonly groups: Grouping;
  readonly byTime: Grouping;
  readonly figures: readonly Figure[];

  /** Sentences on missing days, values and readings. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}
