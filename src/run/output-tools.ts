import type { PageHost } from '../formats/page-extras.ts';
import type { FileHost } from '../text/file-in-use.ts';
import type { Console } from '../ui/console.ts';

export interface OutputHost extends FileHost, PageHost {}

export interface OutputTools {
  readonly console: Console;
  readonly host: OutputHost;
}

/** Adds the flags that decide what is printed about an output. */
export interface DeliveryTools extends OutputTools {
  readonly flags: {
    readonly json?: boolean | undefined;
  };
}
