import type { DeliveryTools, OutputHost } from '../run/output-tools.ts';
import type { Progress } from '../ui/progress.ts';

export interface ViewHost extends OutputHost {
  readonly stdin: NodeJS.ReadStream;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

export interface ViewTools extends DeliveryTools {
  readonly host: ViewHost;
  readonly elapsedMs: () => number;
  readonly progress: () => Promise<Progress>;

  /** Version of this program, for the origin of a file. */
  readonly version: string;
}
