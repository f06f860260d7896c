import { type CommandBuilder, declareCommand } from '../command.ts';
import { addOutputFlags, addReportFlags, addServiceFlags, type OutputFlags, type ReportFlags } from '../flags.ts';

export interface ReportCreateOptions extends ReportFlags, OutputFlags {}

export const reportCreateCommand: CommandBuilder = (perform) =>
  addServiceFlags(
    addOutputFlags(
      addReportFlags(
        declareCommand('create', [
          ['id=$(adreport report create --period yesterday --by DAILY,CAMPAIGN)', 'for status and download'],
          ['adreport report create --period last-7d --by COUNTRY --dry-run', 'show, do not send'],
        ]),
      ),
    ),
  ).action(perform(async () => (await import('../actions/report/create.ts')).createReport));
