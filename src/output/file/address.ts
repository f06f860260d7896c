import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import { quoteForShell, shellWord } from '../../text/quote-for-shell.ts';
import { placeholdersOf } from './file-name.ts';

/**
 * Shell commands that copy a pipe to an address and an address to a pipe. The address is already
 * quoted.
 */
interface AddressTool {
  readonly write: (address: string, platform: NodeJS.Platform) => string;
  readonly read: (address: string, platform: NodeJS.Platform) => string;
}

const awsTool: AddressTool = {
  write: (address) => `aws s3 cp - ${address}`,
  read: (address) => `aws s3 cp ${address} -`,
};
const gcloudTool: AddressTool = {
  write: (address) => `gcloud storage cp - ${address}`,
  read: (address) => `gcloud storage cat ${address}`,
};
const curlTool: AddressTool = {
  write: (address) => `curl -T - ${address}`,
  read: (address) => `curl ${address}`,
};
const psqlTool: AddressTool = {
  write: (address, platform) => psql(address, '\\copy report from stdin csv header', platform),
  read: (address, platform) => psql(address, '\\copy report to stdout csv header', platform),
};

function psql(address: string, command: string, platform: NodeJS.Platform): string {
  return `psql ${address} -c ${quoteForShell(command, platform)}`;
}

const addressTools: Readonly<Record<string, AddressTool>> = {
  s3: awsTool,
  gs: gcloudTool,
  http: curlTool,
  https: curlTool,
  ftp: curlTool,
  sftp: curlTool,
  postgres: psqlTool,
  postgresql: psqlTool,
};

/** `s3://`, `jdbc:postgresql://`; a single letter is a Windows drive. */
const addressPattern = /^(?:[a-z][a-z\d+.-]+:)+\/\//i;

/** True for an address of another machine or program rather than a path. */
export function isAddress(name: string): boolean {
  return addressPattern.test(name);
}

/** The destination of an output. */
interface OutputTarget {
  /** As typed: `-o`. */
  readonly flag: string;
  readonly name: string;

  /**
   * Format to write to the pipe, such as `parquet`; absent for CSV and for flags other than `-o`.
   */
  readonly format?: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Throws `UsageError` if the target is an address. */
export function expectNoAddress(target: OutputTarget): void {
  const { flag, name } = target;
  if (!isAddress(name)) return;

  const isOutput = flag === '-o';
  throw new UsageError(`${flag} ${shownAddress(name)} is an address; adreport writes to files.`, {
    about: { flag: isOutput ? '--output' : flag },
    hint: isOutput ? pipeTo(target) : commandTo(target),
  });
}

/** Throws `UsageError` if a file to read is an address. */
export function expectNoAddressToRead(name: string, platform: NodeJS.Platform): void {
  if (!isAddress(name)) return;

  const word = shellWord(shownAddress(name), platform);
  const command = toolOf(name)?.read(word, platform);
  const hint =
    command === undefined
      ? 'Download it first and name the file.'
      : `Use a pipe: ${command} | adreport view -`;
  throw new UsageError(`${shownAddress(name)} is an address; adreport reads local files.`, {
    hint,
  });
}

/** The hint with a pipe from `-o -` to an address. */
function pipeTo({ name, format, platform }: OutputTarget): string {
  const ofFormat = format === undefined || format === 'csv' ? '' : `--format ${format} `;
  const packing = name.endsWith('.gz') ? 'gzip | ' : '';
  const word = shellWord(shownAddress(name), platform);
  const command = toolOf(name)?.write(word, platform);
  const hint = `Use a pipe: … ${ofFormat}-o - | ${packing}${command ?? 'PROGRAM'}`;
  if (command === undefined) return `${hint} (PROGRAM sends its input to ${word})`;

  const isTemplate = placeholdersOf(name).length > 0;
  const manyFiles = 'To copy many files, write them to a folder and copy the folder.';
  return isTemplate ? `${hint}\n${manyFiles}` : hint;
}

/** The hint with a file and a redirect, for output that cannot be written to a pipe. */
function commandTo({ flag, name, platform }: OutputTarget): string {
  const word = shellWord(shownAddress(name), platform);
  const command = toolOf(name)?.write(word, platform) ?? 'PROGRAM';
  return `Write a file and send it: … ${flag} FILE && ${command} < FILE`;
}

function toolOf(address: string): AddressTool | undefined {
  const scheme = /^([^:]+):\/\//.exec(address)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(addressTools, scheme) ? addressTools[scheme] : undefined;
}

/** Hides the password in an address. */
function shownAddress(address: string): string {
  return printable(address.replace(/^([^/]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1@'));
}
