import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import { shellWord } from '../../text/quote-for-shell.ts';
import { placeholdersOf } from './file-name.ts';

/** What moves bytes from a pipe to an address and back, by its scheme. */
interface AddressTool {
  readonly write: (address: string) => string;
  readonly read: (address: string) => string;
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
  write: (address) => `psql ${address} -c '\\copy report from stdin csv header'`,
  read: (address) => `psql ${address} -c '\\copy report to stdout csv header'`,
};

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

/** `s3://`, `jdbc:postgresql://`; a single letter is a drive of Windows. */
const addressForm = /^(?:[a-z][a-z\d+.-]+:)+\/\//i;

/** True for a name that is an address of another machine or program, and not a path. */
export function isAddress(name: string): boolean {
  return addressForm.test(name);
}

/**
 * Throws `UsageError` for the target of an output that is an address: adreport writes files and
 * streams.
 *
 * @param flag as people type it: `-o`
 * @param format what the pipe has to be told: `parquet`; absent for CSV, and for other flags
 */
export function expectNoAddress(flag: string, name: string, format?: string): void {
  if (!isAddress(name)) return;

  const isOutput = flag === '-o';
  throw new UsageError(`${flag} ${shownAddress(name)} is an address, and adreport writes files.`, {
    about: { flag: isOutput ? '--output' : flag },
    hint: isOutput ? pipeTo(name, format) : commandTo(flag, name),
  });
}

/** Throws `UsageError` for a file to read that is an address. */
export function expectNoAddressToRead(name: string): void {
  if (!isAddress(name)) return;

  const tool = toolOf(name);
  const hint =
    tool === undefined
      ? 'Download it, then give the name of the file.'
      : `Use a pipe: ${tool.read(shellWord(shownAddress(name)))} | adreport view -`;
  throw new UsageError(`${shownAddress(name)} is an address, and adreport reads files.`, { hint });
}

/** The hint that sends an output to an address. */
function pipeTo(address: string, format: string | undefined): string {
  const ofFormat = format === undefined || format === 'csv' ? '' : `--format ${format} `;
  const packing = address.endsWith('.gz') ? 'gzip | ' : '';
  const shown = shellWord(shownAddress(address));
  const tool = toolOf(address);
  const hint = `Use a pipe: … ${ofFormat}-o - | ${packing}${tool ? tool.write(shown) : 'PROGRAM'}`;
  if (!tool) return `${hint} (one that sends its input to ${shown})`;

  const isTemplate = placeholdersOf(address).length > 0;
  const manyFiles = 'Many files: write them to a folder, and copy that.';
  return isTemplate ? `${hint}\n${manyFiles}` : hint;
}

/** The hint that sends a file to an address, for what cannot be written to a pipe. */
function commandTo(flag: string, address: string): string {
  const command = toolOf(address)?.write(shellWord(shownAddress(address))) ?? 'PROGRAM';
  return `Write a file, and send that: … ${flag} FILE && ${command} < FILE`;
}

function toolOf(address: string): AddressTool | undefined {
  const scheme = /^([^:]+):\/\//.exec(address)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(addressTools, scheme) ? addressTools[scheme] : undefined;
}

/** An address without the password that may be in it. */
function shownAddress(address: string): string {
  return printable(address.replace(/^([^/]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1@'));
}
