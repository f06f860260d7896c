import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/query/format-names.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { documentOf, encode } from './encode.ts';

/**
 * Fields named like a property of every JavaScript object. Only the first row has them.
 */
const names = ['constructor', 'toString', '__proto__', 'valueOf'];

const body = documentOf(
  '{"date":"2026-11-01","constructor":"a","toString":"b","__proto__":"c","valueOf":"d","displays":1}',
  '{"date":"2026-11-02","displays":2}',
);

describe('a field that a row lacks is empty, whatever its name', () => {
  test('csv, as received and for Excel', async () => {
    expect((await encode(body, 'csv')).text).toBe(
      'date,constructor,toString,__proto__,valueOf,displays\r\n2026-11-01,a,b,c,d,1\r\n2026-11-02,,,,,2\r\n',
    );
    expect((await encode(body, 'csv', { excel: true })).text).toBe(
      '\ufeffdate;constructor;toString;__proto__;valueOf;displays\r\n2026-11-01;a;b;c;d;1\r\n2026-11-02;;;;;2\r\n',
    );
  });

  test.each<FormatName>(['html', 'table'])('%s', async (format) => {
    const { text } = await encode(body, format);
    expect(text).toContain('constructor');
    expect(text).not.toContain('native code');
  });

  test('view, groups and rows', async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, 'report.json'), body);
    for (const by of names) {
      const { exitCode, stdout } = await runCli(['view', 'report.json', '--by', by], { cwd });
      expect(stdout).not.toContain('native code');
      expect(exitCode).toBe(0);
    }
  });
});
