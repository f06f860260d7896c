import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** @param {readonly string[]} args */
function git(...args) {
  return execFileSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/**
 * The release before: the newest tag `v…` below this commit, otherwise the last commit that had
 * another version.
 */
function releaseBefore() {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  } catch {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const changedIn = git(
      'log',
      '-1',
      '--format=%H',
      `-S"version": "${version}"`,
      '--',
      'package.json',
    );
    return `${changedIn}^`;
  }
}

/**
 * A built copy to compare with: a built checkout, or a tag or commit that is built below `folder`.
 *
 * @param {string} folder
 * @param {string} baseline a folder, a tag or a commit; by default the release before
 */
export function buildBaseline(folder, baseline = releaseBefore()) {
  if (existsSync(baseline) && statSync(baseline).isDirectory()) return resolve(baseline);

  const commit = git('rev-parse', '--short', `${baseline}^{commit}`);
  console.log(
    `Building ${commit} (${git('log', '-1', '--format=%cs %s', commit)}) to compare with.`,
  );
  const copy = join(folder, 'before');
  mkdirSync(copy);
  const files = execFileSync('git', ['archive', commit], { maxBuffer: 1e9 });
  execFileSync('tar', ['-x', '-C', copy], { input: files });

  const lock = (/** @type {string} */ root) =>
    readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(copy) === lock('.')) symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: copy,
      stdio: 'ignore',
    });
  execFileSync(process.execPath, [join('.ci', 'build.js')], { cwd: copy, stdio: 'ignore' });
  return copy;
}
