import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { EncodeOptions, PagePrinter } from '../output/encoder.ts';
import { findBrowser, isProgram } from '../present/pdf/installed-browser.ts';
import { printPage } from '../present/pdf/print-page.ts';
import { printable } from '../text/printable.ts';
import { readSmallFile } from '../text/small-file.ts';
import { type FormatName, formats } from './index.ts';

/** Pages are mailed, so a logo should add little to their size. */
const maxLogoKilobytes = 200;

export interface PageFlags {
  readonly logo?: string | undefined;
  readonly note?: string | undefined;
}

export interface PageHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;

  /** Ends the printing of a PDF. */
  readonly signal: AbortSignal;
}

/** Reads the logo and finds the browser for an output. Throws `UsageError` if either is missing. */
export function pageExtras(
  host: PageHost,
  { logo, note }: PageFlags,
  format: FormatName,
): Pick<EncodeOptions, 'remark' | 'logo' | 'printer'> {
  return {
    remark: note,
    logo: logo === undefined ? undefined : readLogo(logo, host.cwd),
    printer: formats[format].needsBrowser ? printerOn(host) : undefined,
  };
}

function printerOn({ env, cwd, platform, signal }: PageHost): PagePrinter {
  const browser = findBrowser({ env, cwd, platform, isProgram });
  return (page) => printPage(page, { browser, env, signal });
}

/**
 * Returns a `data:` URI. Throws `UsageError` if the file cannot be read, is too large, or is not a
 * PNG or SVG.
 */
function readLogo(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  const bytes = readPicture(path, file);
  const mediaType = mediaTypeOf(bytes);
  if (mediaType !== undefined) return `data:${mediaType};base64,${bytes.toString('base64')}`;

  throw new UsageError(`--logo ${printable(file)}: the file is neither a PNG nor an SVG picture.`, {
    about: { flag: '--logo' },
    hint: 'The file type is detected from the content, not the name.',
  });
}

function readPicture(path: string, file: string): Buffer {
  try {
    return readSmallFile(path, 1024 * maxLogoKilobytes);
  } catch (error) {
    throw new UsageError(`--logo ${printable(file)}: ${(error as Error).message}.`, {
      about: { flag: '--logo' },
      hint: `Use a PNG or SVG file of at most ${maxLogoKilobytes} KB.`,
    });
  }
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Matches an SVG element preceded by an optional XML declaration, comments and a document type. A
 * comment ends at its first `-->`, which keeps the match unambiguous and fast for unterminated
 * comments.
 */
const svgBeginning =
  /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<svg[\s>]/i;

function mediaTypeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return 'image/png';
  return svgBeginning.test(bytes.toString('utf8')) ? 'image/svg+xml' : undefined;
}
