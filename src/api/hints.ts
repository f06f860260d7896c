/** Whether hints name flags and commands, or the library's options. */
export type Wording = 'flags' | 'options';

const hints = {
  hostName: 'Check the network and the base URL.',
  baseUrl: 'Check the base URL and any proxy.',
  reportId: 'Check the report ID, the account and the base URL.',
  localServer: {
    flags: 'Start the local server with adreport local-server, or check the port of the base URL.',
    options: 'Check that the server is running, and the port of the base URL.',
  },
  timeout: {
    flags: 'If the service is slow, raise the limit with --timeout, for example --timeout 2m.',
    options: 'If the service is slow, raise timeoutMs.',
  },
  proxy: {
    flags: 'Check HTTPS_PROXY and NO_PROXY.',
    options: 'Check proxy.',
  },
  proxySignIn: {
    flags:
      'The proxy requires a user name and password: HTTPS_PROXY=http://user:password@host:port',
    options: "The proxy requires a user name and password: proxy: 'http://user:password@host:port'",
  },
  proxyRefused: 'The proxy refused the user name and password in its URL. Correct them.',
  proxyScheme: {
    flags: 'The proxy speaks plain http. Start HTTPS_PROXY with http://',
    options: 'The proxy speaks plain http. Start proxy with http://',
  },
  privateAuthority:
    'To trust a private certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate.',
  certificateTime: "Check this machine's clock, or tell the operator of the service.",
  otherHost: 'The certificate is for a different host. Check the base URL.',
  httpPort: 'This port speaks plain http. Check the scheme and port of the base URL.',
  signIn: {
    flags:
      'Run adreport login (unattended: set ADREPORT_TOKEN). To try sample data: adreport run --local --period yesterday',
    options: 'Pass a token, or email and password.',
  },
  token: {
    flags:
      'Sign in again with adreport login (unattended: set ADREPORT_TOKEN, or ADREPORT_EMAIL and ADREPORT_PASSWORD).',
    options: 'Pass another token, or email and password.',
  },
  password: {
    flags:
      'Check the e-mail address and password, or sign in with a token: adreport login --token-stdin',
    options: 'Check email and password, or pass a token.',
  },
  permission: 'Ask the operator of the service whether this account has permission.',
  profile: {
    flags: 'If the account has the other profile, add --profile dsp or --profile buyer.',
    options: 'If the account has the other profile, pass it as profile.',
  },
  requestAgain: 'Request it again.',
  tooLarge: 'Request a shorter period, or fewer breakdowns.',
  later: 'Try again later.',
  serviceFault: "The problem is on the service's side. Try again later.",
  uncertain: {
    flags: 'Running the command again requests a second report. First check adreport report list.',
    options: 'Calling it again requests a second report.',
  },
  redirect:
    'Check the base URL: the service may have moved, or a portal or proxy may be in front of it.',
  link: 'The link may have expired: download the report again to get a new one.',
} as const satisfies Readonly<Record<string, string | Readonly<Record<Wording, string>>>>;

/** Next steps after a failed call. */
export type HintName = keyof typeof hints;

export function hintFor(name: HintName, wording: Wording): string {
  const hint = hints[name];
  return typeof hint === 'string' ? hint : hint[wording];
}
