/** Text of a Markdown file, as loaded by the bundler and the tests. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: text loaders export a default.
  export default text;
}
