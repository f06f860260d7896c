import { findAccount, withoutAccount } from '../account/store.ts';
import { flagGroup } from '../query/flags/flag.ts';
import type { Context } from '../run/context.ts';
import { declareCommand } from './command.ts';

const logoutFlags = flagGroup('Flags:', {
  account: { flags: '--account <name>', meaning: 'account to sign out of' },
});

export const logoutCommand = declareCommand({
  name: 'logout',
  summary: 'remove a stored account and its token',
  examples: [
    ['adreport logout', 'the default account'],
    ['adreport logout --account agency', 'another one'],
  ],
  flags: [logoutFlags],
  action: ({ context }) => logout(context),
});

/** Removes a stored account. The service is not called, because tokens expire on their own. */
async function logout(context: Context): Promise<void> {
  const name = await context.accounts.nameToChange();
  let isStored = false;
  await context.accounts.store().update((settings) => {
    isStored = findAccount(settings, name) !== undefined;
    return isStored ? withoutAccount(settings, name) : settings;
  });
  context.console.note(
    isStored
      ? `Signed out of account “${name}”: its token and settings were removed.`
      : `Not signed in to account “${name}”.`,
  );
}
