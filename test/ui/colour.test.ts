import { describe, expect, test } from 'vitest';
import { showsUnicode, wantsColor } from '../../src/ui/console.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('wantsColor', () => {
  test.each([
    ['a terminal', terminal, {}, true, true],
    ['a pipe', pipe, {}, true, false],
    ['--no-color on a terminal', terminal, {}, false, false],
    ['--no-color against FORCE_COLOR', terminal, { FORCE_COLOR: '1' }, false, false],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, true, true],
    ['FORCE_COLOR on a pipe', pipe, { FORCE_COLOR: '1' }, true, true],
    ['an empty FORCE_COLOR', pipe, { FORCE_COLOR: '' }, true, true],
    ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, true, false],
    ['FORCE_COLOR=false', terminal, { FORCE_COLOR: 'false' }, true, false],
    ['FORCE_COLOR against NO_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true, true],
    ['TERM=dumb', terminal, { TERM: 'dumb' }, true, false],
    ['FORCE_COLOR on TERM=dumb', terminal, { TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
  ])('%s', (_name, stream, env, colorFlag, expected) => {
    expect(wantsColor(stream, env, colorFlag)).toBe(expected);
  });
});

test.each([
  ['linux', { TERM: 'xterm', LANG: 'fr_FR.UTF-8' }, true],
  ['linux', { TERM: 'xterm', LANG: 'en_US.utf8' }, true],
  ['linux', { TERM: 'xterm' }, true],
  ['linux', { TERM: 'xterm', LANG: 'C' }, false],
  ['linux', { TERM: 'xterm', LANG: 'C.UTF-8', LC_ALL: 'POSIX' }, false],
  ['linux', { TERM: 'linux', LANG: 'C.UTF-8' }, false],
  ['darwin', { TERM: 'xterm-256color', LANG: 'fr_FR.UTF-8' }, true],
  ['win32', {}, false],
  ['win32', { WT_SESSION: '1' }, true],
] as const)('line drawing on %s with %j: %s', (platform, env, expected) => {
  expect(showsUnicode(env, platform)).toBe(expected);
});
