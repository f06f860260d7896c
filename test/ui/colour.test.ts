import { expect, test } from 'vitest';
import { showsUnicode, wantsColor } from '../../src/ui/console.ts';

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['FORCE_COLOR on a pipe', false, { FORCE_COLOR: '1' }, true],
  ['an empty FORCE_COLOR', false, { FORCE_COLOR: '' }, true],
  ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ['FORCE_COLOR=false', true, { FORCE_COLOR: 'false' }, false],
  ['FORCE_COLOR against NO_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['TERM=dumb', true, { TERM: 'dumb' }, false],
  ['FORCE_COLOR on TERM=dumb', true, { TERM: 'dumb', FORCE_COLOR: '1' }, true],
])('colour with %s, and never with --no-color', (_name, isTTY, env, expected) => {
  expect([wantsColor({ isTTY }, env, true), wantsColor({ isTTY }, env, false)]).toEqual([
    expected,
    false,
  ]);
});

test.each([
  ['linux', { TERM: 'xterm', LANG: 'en_US.utf8' }, true],
  ['linux', { TERM: 'xterm' }, true],
  ['linux', { TERM: 'xterm', LANG: 'C' }, false],
  ['linux', { TERM: 'xterm', LANG: 'C.UTF-8', LC_ALL: 'POSIX' }, false],
  ['linux', { TERM: 'linux', LANG: 'C.UTF-8' }, false],
  ['win32', {}, false],
  ['win32', { WT_SESSION: '1' }, true],
] as const)('line drawing on %s with %j: %s', (platform, env, expected) => {
  expect(showsUnicode(env, platform)).toBe(expected);
});
