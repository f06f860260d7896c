import { goesThrough, readProxy } from '../../config/proxy.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { printable } from '../../text/printable.ts';
import { wrap } from '../../ui/page.ts';
import { visibleJson } from '../../ui/visible-json.ts';
import type { DoctorOptions } from '../doctor.ts';
import { broken, type Finding } from './doctor/finding.ts';
import { checkMachine } from './doctor/machine.ts';
import { call, checkClock, checkConnection, checkName, checkToken, type Service } from './doctor/service.ts';
import { checkSettings } from './doctor/settings.ts';
import { checkProjectFile, checkStore } from './doctor/stored.ts';
import { checkAuthorities, checkCertificate, checkProxy, isExplained } from './doctor/trust.ts';

/**
 * Checks what a command needs, and prints what each check came to, with its fix. The exit code is that of a command which
 * met the first thing that is broken; 0 where nothing is.
 */
export async function doctor(context: Context, options: DoctorOptions): Promise<void> {
  // The store closes files that are open to others, and says so: before the settings are read for anything else.
  const ofThisMachine = [...checkMachine(context), ...checkStore(context), checkProjectFile(context)];
  const { findings: ofSettings, settings } = await checkSettings(context);
  const canSignIn = ofSettings.every(({ status }) => status !== 'broken');
  const ofService = settings ? await checkService(context, settings, { timeoutMs: options.timeout, canSignIn }) : [];
  const findings = [...ofThisMachine, ...ofSettings, ...ofService].map((finding) => withoutSecrets(context, finding));

  if (context.flags.json) {
    const rows = findings.map(({ fix = null, exitCode = null, ...found }) => ({ ...found, fix, exitCode }));
    await context.console.result(visibleJson(rows));
  } else {
    await context.console.write(findings.map((finding) => layOut(context, finding)).join(''));
  }
  context.exitCode = findings.find(({ status }) => status === 'broken')?.exitCode ?? 0;
}

async function checkService(
  context: Context,
  { baseUrl: { value: baseUrl } }: Settings,
  { timeoutMs, canSignIn }: { readonly timeoutMs: number; readonly canSignIn: boolean },
): Promise<Finding[]> {
  if (!baseUrl) return [];
  const { host } = context;
  let proxy: ReturnType<typeof readProxy>;
  try {
    proxy = readProxy(host.env);
  } catch (error) {
    return [broken('proxy', error)];
  }
  const service: Service = { baseUrl, proxy: proxy && goesThrough(proxy, baseUrl) ? proxy : undefined, timeoutMs };
  const [name, answer, certificate, token] = await Promise.all([
    checkName(service),
    call(context, service),
    checkCertificate(service, host.wallClock()),
    canSignIn ? checkToken(context, service) : undefined,
  ]);
  const isKnown = isExplained(answer, certificate) || name.some(({ status }) => status === 'broken');
  return [
    checkProxy(proxy, baseUrl),
    ...checkAuthorities(host),
    ...name,
    ...certificate,
    ...(isKnown ? [] : [checkConnection(service, answer)]),
    ...checkClock(answer, host.wallClock()),
    // A service that cannot be reached says nothing of the token.
    ...(token && !('error' in answer) ? [token] : []),
  ];
}

/** A finding without any secret that the service, or a setting, might have had it quote. */
function withoutSecrets({ console }: Context, { message, fix, ...finding }: Finding): Finding {
  return {
    ...finding,
    message: console.redact(message),
    ...(fix === undefined ? {} : { fix: console.redact(fix) }),
  };
}

const widestCheck = 'settings-file'.length;

function layOut({ console }: Context, { check, status, message, fix }: Finding): string {
  const { columns, style, showsUnicode } = console.out;
  const [mark, dress] = {
    ok: [showsUnicode ? '✓' : 'ok', style.green] as const,
    warning: ['!', style.yellow] as const,
    broken: [showsUnicode ? '✗' : 'x', style.red] as const,
  }[status];
  const indent = 3 + widestCheck + 2;
  const width = Math.max(30, Math.min(120, columns) - indent);
  const [first = '', ...more] = message.split('\n').flatMap((line) => wrap(printable(line), width));
  const fixLines = fix === undefined ? [] : wrap(`${showsUnicode ? '→' : '=>'} ${printable(fix)}`, width);
  const lines = [
    `${dress(mark.padEnd(2))} ${check.padEnd(widestCheck)}  ${first}`,
    ...more.map((line) => ' '.repeat(indent) + line),
    ...fixLines.map((line) => ' '.repeat(indent) + dress(line)),
  ];
  return `${lines.join('\n')}\n`;
}
