import type { PagePrinter } from '../output/encoder.ts';
import { findBrowser, isProgram } from '../present/pdf/installed-browser.ts';
import { printPage } from '../present/pdf/print-page.ts';
import type { FormatName } from '../query/format-names.ts';
import { formats } from './index.ts';

export interface PageHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;

  readonly signal: AbortSignal;
}

/** Finds a browser if the format needs one. Throws `UsageError` if none is found. */
export function findPrinter(
  format: FormatName,
  { env, cwd, platform, signal }: PageHost,
): PagePrinter | undefined {
  if (!formats[format].needsBrowser) return undefined;

  const browser = findBrowser({ env, cwd, platform, isProgram });
  return (page) => printPage(page, { browser, env, signal });
}
