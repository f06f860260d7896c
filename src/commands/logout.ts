import { findAccount, withAccount } from '../config/store.ts';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export const logoutCommand: CommandBuilder = (perform) =>
  declareCommand('logout', 'forget the stored token', [
    ['adreport logout', 'the default account'],
    ['adreport logout --account agency', 'another one'],
  ])
    .option('--account <name>', 'the stored account to forget')
    .action(perform(logout));

/** Forgets the stored token; the service itself is told nothing, a token ends there by its own life. */
async function logout(context: Context): Promise<void> {
  const { account } = await context.settings();
  let hadToken = false;
  await context.store().update((settings) => {
    const stored = findAccount(settings, account.value);
    hadToken = stored?.token !== undefined;
    return stored && hadToken
      ? withAccount(settings, account.value, { ...stored, token: undefined })
      : settings;
  });
  const name = `account “${account.value}”`;
  context.console.note(
    hadToken ? `Signed out of ${name}: its token is forgotten.` : `Not signed in to ${name}.`,
  );
}
