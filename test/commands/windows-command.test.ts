import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowsCommand } from '../../src/commands/run-program.ts';

/** How a command becomes one that Windows can start. */

const files = new Set([
  'C:\\node\\node.exe',
  'C:\\node\\npm.cmd',
  'C:\\tools\\npm.exe',
  'C:\\work\\check.bat',
  'C:\\Program Files\\x\\vitest.cmd',
]);
const machine = {
  cwd: 'C:\\work',
  env: { Path: 'C:\\node;;C:\\tools;C:\\Program Files\\x' },
  exists: (file: string) => files.has(file),
};

test.each(['node', 'node.exe', 'C:\\node\\node', 'C:/node/node.exe', 'nothing', 'nothing.cmd'])(
  '%s stays as it is',
  (program) => {
    expect(windowsCommand(program, ['a b'], machine)).toEqual({ program, args: ['a b'] });
  },
);

test.each([
  ['npm', 'C:\\node\\npm.cmd'],
  ['npm.cmd', 'C:\\node\\npm.cmd'],
  ['C:/node/npm', 'C:\\node\\npm.cmd'],
  ['check', 'C:\\work\\check.bat'],
  ['.\\check.bat', 'C:\\work\\check.bat'],
  ['vitest', 'C:\\Program^ Files\\x\\vitest.cmd'],
])('%s is run by cmd.exe', (program, found) => {
  expect(windowsCommand(program, ['test'], machine)).toEqual({
    program: 'cmd.exe',
    args: ['/d', '/s', '/c', `"${found} ^"test^""`],
    windowsVerbatimArguments: true,
  });
});

test('no argument reaches cmd.exe as anything but text, and programs get it back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab "\\%^&|<>()!;,*?`') }), (argument) => {
      const line = windowsCommand('npm', [argument], machine).args.at(-1) ?? '';
      const escaped = line.slice('"C:\\node\\npm.cmd '.length, -1);
      expect(escaped).not.toMatch(/(?<!\^)(?:\^\^)*[%&|<>()!"]/);
      // What cmd.exe does, then what the C library of a program does.
      const quoted = escaped.replace(/\^(.)/g, '$1');
      expect(quoted.at(0)).toBe('"');
      expect(quoted.at(-1)).toBe('"');
      const inner = quoted.slice(1, -1).replace(/(\\*)(?:\\"|$)/g, (text, slashes: string) => {
        const half = slashes.slice(0, slashes.length / 2);
        return text.endsWith('"') ? `${half}"` : half;
      });
      expect(inner).toBe(argument);
    }),
  );
});
