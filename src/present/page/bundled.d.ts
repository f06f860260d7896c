/** Source of a script for browsers, bundled with its imports. */
declare module '*.ts?bundled' {
  const source: string;
  // biome-ignore lint/style/noDefaultExport: the build exports the source as the default.
  export default source;
}
