import { expect, test } from 'vitest';
import { wantsColor } from '../../src/ui/console.ts';

test.each([
  { name: 'a terminal', isTTY: true, env: {}, expected: true },
  { name: 'a pipe', isTTY: false, env: {}, expected: false },
  { name: 'NO_COLOR', isTTY: true, env: { NO_COLOR: '1' }, expected: false },
  { name: 'FORCE_COLOR on a pipe', isTTY: false, env: { FORCE_COLOR: '1' }, expected: true },
  { name: 'FORCE_COLOR=0', isTTY: true, env: { FORCE_COLOR: '0' }, expected: false },
  {
    name: 'FORCE_COLOR against NO_COLOR',
    isTTY: false,
    env: { FORCE_COLOR: '1', NO_COLOR: '1' },
    expected: true,
  },
  { name: 'TERM=dumb', isTTY: true, env: { TERM: 'dumb' }, expected: false },
])('color with $name, and never with --no-color', ({ isTTY, env, expected }) => {
  expect([wantsColor({ isTTY }, env, true), wantsColor({ isTTY }, env, false)]).toEqual([
    expected,
    false,
  ]);
});
