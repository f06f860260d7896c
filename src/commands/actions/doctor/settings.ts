import { nameSettings } from '../../../config/named-settings.ts';
import type { Settings } from '../../../config/settings.ts';
import { requireSignIn } from '../../../config/sign-in.ts';
import { noSettings } from '../../../config/stored-settings.ts';
import type { Context } from '../../../context.ts';
import { broken, type Finding, fine, odd } from './finding.ts';

/**
 * Every setting that has a value, with where that came from; and whether they are enough to sign in with. The settings
 * are absent where they cannot be read.
 */
export async function checkSettings(context: Context): Promise<{ findings: Finding[]; settings?: Settings }> {
  let settings: Settings;
  try {
    settings = await context.settings();
  } catch (error) {
    return { findings: [broken('settings', error)] };
  }
  const given = nameSettings(settings).flatMap(({ name, value, from }) =>
    value === undefined ? [] : [fine(name, `${value} (from ${from})`)],
  );
  const findings = [...given, ...checkCredentials(settings)];
  try {
    requireSignIn(settings, context.isLocal ? noSettings : (await context.store()).read());
    return { findings, settings };
  } catch (error) {
    return { findings: [...findings, broken('sign-in', error)], settings };
  }
}

/** E-mail and password sign in together; half of them is nothing. */
function checkCredentials({ email, password }: Settings): Finding[] {
  const use = 'so that no token can be fetched or renewed with them';
  if (password.value !== undefined && email.value === undefined) {
    return [odd('password', `ADREPORT_PASSWORD is set, and no e-mail address, ${use}.`, 'Set ADREPORT_EMAIL too.')];
  }
  if (email.source === 'env' && password.value === undefined) {
    return [odd('email', `ADREPORT_EMAIL is set without ADREPORT_PASSWORD, ${use}.`, 'Set both, or neither.')];
  }
  return [];
}
