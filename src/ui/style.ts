const styleNames = ['bold', 'dim', 'red', 'yellow', 'green', 'cyan'] as const;

type StyleName = (typeof styleNames)[number];

/** Functions that dress a text for one stream; each returns its text unchanged where the stream shows no colour. */
export type Style = { readonly [Name in StyleName]: (text: string) => string };

/** A style from one function per name. */
export function styleFrom(dress: (name: StyleName) => (text: string) => string): Style {
  return Object.fromEntries(styleNames.map((name) => [name, dress(name)])) as Style;
}

/** No colour at all. */
export const plainStyle: Style = styleFrom(() => (text) => text);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a stream gets colour. The strongest rule first: `--no-color`, `FORCE_COLOR`, `NO_COLOR`, then what the
 * stream is (`FORCE_COLOR` before `NO_COLOR` as in Node itself).
 */
export function wantsColor(stream: { readonly isTTY?: boolean }, env: Environment, colorFlag: boolean): boolean {
  if (!colorFlag) return false;
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  // An empty NO_COLOR means nothing (no-color.org).
  if (env.NO_COLOR) return false;
  return canDraw(stream, env);
}

/** Whether a stream is a terminal that understands escape sequences. */
export function canDraw(stream: { readonly isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Whether line drawing and braille are likely to be shown as such: not on the bare Linux console, nor in a locale that is not UTF-8. */
export function showsUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return env.WT_SESSION !== undefined || env.TERM_PROGRAM !== undefined;
  if (env.TERM === 'linux') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}
