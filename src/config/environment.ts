/** A process's environment; a variable that is not set is absent or `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables that the program reads, with their meanings; help derives from this list. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ['ADREPORT_BASE_URL', 'address of the service'],
  ['ADREPORT_TOKEN', 'the token; beats the stored one'],
  ['ADREPORT_EMAIL', 'with the password: signs in, and renews a token that dies in the middle of a run'],
  ['ADREPORT_PASSWORD', 'never stored, never shown'],
  ['ADREPORT_ACCOUNT', 'name of the stored account to use'],
  ['ADREPORT_PROFILE', 'buyer or dsp'],
  ['ADREPORT_CONFIG_DIR', 'folder of the settings and the ledger, instead of the platform’s own'],
  ['HTTPS_PROXY', 'proxy for every https call, e.g. http://127.0.0.1:3128'],
  ['NO_PROXY', 'hosts that are called past the proxy, with commas between; * for all'],
  ['NODE_EXTRA_CA_CERTS', 'file of a private certificate authority, read by Node.js as it starts'],
  ['NO_COLOR', 'no colour, if it is not empty'],
  ['FORCE_COLOR', 'colour in pipes and files too; 0 for none'],
  ['COLUMNS', 'width of tables and help, instead of the terminal’s'],
];
