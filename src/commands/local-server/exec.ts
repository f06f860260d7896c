import { type CommandBuilder, declareCommand } from '../command.ts';

/** The server's own flags are declared on `local-server` and hold here too. */
export const localServerExecCommand: CommandBuilder = (perform) =>
  declareCommand('exec <command...>', [
    ['adreport local-server exec -- adreport whoami', 'ADREPORT_BASE_URL and ADREPORT_TOKEN are set'],
    ["adreport local-server --delay 0s exec -- sh -c 'echo $ADREPORT_BASE_URL'", 'any command'],
  ]).action(perform(async () => (await import('../actions/local-server/exec.ts')).execWithLocalServer));
