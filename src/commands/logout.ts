import { settingTable } from '../account/settings.ts';
import { findAccount, withAccount } from '../account/store.ts';
import type { Context } from '../context.ts';
import { flagGroup } from '../plan/flags/flag.ts';
import { declareCommand } from './command.ts';

const logoutFlags = flagGroup('Options:', {
  account: { flags: settingTable.account.flag, meaning: 'the stored account to sign out of' },
});

export const logoutCommand = declareCommand({
  name: 'logout',
  summary: 'delete the stored token',
  examples: [
    ['adreport logout', 'the default account'],
    ['adreport logout --account agency', 'another one'],
  ],
  flags: [logoutFlags],
  async action({ context }) {
    await logout(context);
    return 0;
  },
});

/** Deletes the stored token. The service is not called: tokens expire there by themselves. */
async function logout(context: Context): Promise<void> {
  const { account } = await context.account.settings();
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
    hadToken ? `Signed out of ${name}: its token was deleted.` : `Not signed in to ${name}.`,
  );
}
