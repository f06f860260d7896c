import { accessSync, constants } from 'node:fs';
import { version } from 'node:process';
import type { Context } from '../../../context.ts';
import type { Side } from '../../../ui/console.ts';
import { type Finding, fine, odd } from './finding.ts';

/** The oldest Node.js that the program is tested with: `engines` of the package. */
export const oldestNode = '20.12';

/** What the machine and the terminal are like. */
export function checkMachine({ console, host }: Context): Finding[] {
  return [checkNode(version), checkTerminal(console.out, console.err), checkFolder(host.cwd)];
}

/** Whether a version of Node.js, `v20.12.1`, is one that the program runs on. */
export function checkNode(running: string): Finding {
  const [major = 0, minor = 0] = running.replace(/^v/, '').split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  const isEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  const found = `Node.js ${running.replace(/^v/, '')}`;
  return isEnough
    ? fine('node', found)
    : odd('node', `${found} is older than ${oldestNode}.`, `Install Node.js ${oldestNode} or later.`);
}

function checkTerminal(out: Side, err: Side): Finding {
  const describe = ({ isTerminal, canDraw, showsUnicode, columns, style }: Side): string => {
    if (!isTerminal) return 'no terminal';
    const colour = style.red('x') === 'x' ? 'no colour' : 'colour';
    return [`${columns} columns`, colour, showsUnicode ? 'Unicode' : 'ASCII', ...(canDraw ? [] : ['no bars'])].join(
      ', ',
    );
  };
  const [results, messages] = [describe(out), describe(err)];
  return fine('terminal', results === messages ? results : `results: ${results}; messages: ${messages}`);
}

function checkFolder(folder: string): Finding {
  try {
    accessSync(folder, constants.W_OK);
    return fine('output', `${folder} can be written to.`);
  } catch {
    return odd('output', `${folder} cannot be written to.`, 'Write elsewhere, e.g. -o ~/report.csv, or to a pipe.');
  }
}
