import type { Context } from '../../context.ts';
import type { Shell } from '../completion.ts';
import type { GlobalFlags } from '../flags.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';

const scripts: Readonly<Record<Shell, string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script that completes command lines in a shell. */
export async function printCompletionScript({ console }: Context, _options: GlobalFlags, shell: Shell): Promise<void> {
  await console.result(scripts[shell]);
}
