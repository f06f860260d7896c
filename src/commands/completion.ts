import { Argument } from 'commander';
import { type CommandBuilder, declareCommand } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

export const completionCommand: CommandBuilder = (perform) =>
  declareCommand('completion', [
    ['source <(adreport completion bash)', 'bash: in ~/.bashrc'],
    ['source <(adreport completion zsh)', 'zsh: in ~/.zshrc, below compinit'],
    ['adreport completion fish | source', 'fish: in ~/.config/fish/config.fish'],
  ])
    .addArgument(new Argument('<shell>', 'whose script to print').choices(shells))
    .action(perform(async () => (await import('./actions/completion.ts')).printCompletionScript));
