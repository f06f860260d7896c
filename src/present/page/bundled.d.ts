/** A script for browsers, bundled with what it imports, as its text. */
declare module '*.ts?bundled' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how a text is imported.
  export default text;
}
