import { join } from 'node:path';
import Conf from 'conf';
import { afterEach, expect, test, vi } from 'vitest';
import { settingsFolder } from '../../src/config/store.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const linux = { platform: 'linux', home: '/home/ana' } as const;
const mac = { platform: 'darwin', home: '/Users/ana' } as const;
const windows = { platform: 'win32', home: 'C:\\Users\\ana' } as const;

test.each([
  [linux, {}, '/home/ana/.config/adreport'],
  [linux, { XDG_CONFIG_HOME: '/x' }, '/x/adreport'],
  [linux, { XDG_CONFIG_HOME: '/x', ADREPORT_CONFIG_DIR: '/etc/adreport' }, '/etc/adreport'],
  [linux, { ADREPORT_CONFIG_DIR: '' }, '/home/ana/.config/adreport'],
  [mac, {}, '/Users/ana/Library/Preferences/adreport'],
  [mac, { ADREPORT_CONFIG_DIR: '/x' }, '/x'],
  [windows, {}, 'C:\\Users\\ana\\AppData\\Roaming\\adreport\\Config'],
  [windows, { APPDATA: 'D:\\Roaming' }, 'D:\\Roaming\\adreport\\Config'],
  [windows, { ADREPORT_CONFIG_DIR: 'D:\\adreport' }, 'D:\\adreport'],
])('%j with %j: %s', (machine, env, expected) => {
  expect(settingsFolder(env, machine.platform, machine.home)).toBe(expected);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("it is where conf's own default is", () => {
  const folder = temporaryFolder();
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  vi.stubEnv('APPDATA', folder);
  const { path } = new Conf({ projectName: 'adreport', projectSuffix: '', configName: 'settings' });
  expect(join(settingsFolder({ XDG_CONFIG_HOME: folder, APPDATA: folder }), 'settings.json')).toBe(path);
});
