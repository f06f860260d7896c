import { type CommandBuilder, declareCommand } from '../command.ts';

export interface LocalServerExportOptions {
  readonly period: string;
  readonly seed: number;
  readonly scale: number;
}

/** `--seed` and `--scale` are declared on `local-server` and hold here too. */
export const localServerExportCommand: CommandBuilder = (perform) =>
  declareCommand('export <dir>', [
    ['adreport local-server export ./fixtures --period last-week', 'data to edit'],
    ['adreport local-server --fixtures ./fixtures', 'and to serve'],
  ])
    .requiredOption('--period <period>', 'the days to write, in Europe/Paris: last-7d, 2026-10, 2026-11-01..2026-11-15')
    .action(perform(async () => (await import('../actions/local-server/export.ts')).exportFixtureData));
