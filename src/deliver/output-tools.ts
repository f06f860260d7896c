import type { PageHost } from '../formats/page-extras.ts';
import type { FileHost } from '../text/held-file.ts';
import type { Console } from '../ui/console.ts';
import type { ProgressMode } from '../ui/progress.ts';

/** The machine that outputs are written on. */
export interface OutputHost extends FileHost, PageHost {}

/** The terminal and the machine of an output. */
export interface OutputTools {
  readonly console: Console;
  readonly host: OutputHost;
}

/** The same, with the flags that decide what is printed about an output. */
export interface DeliveryTools extends OutputTools {
  readonly flags: {
    readonly json?: boolean | undefined;
    readonly progress: ProgressMode;
  };
}
