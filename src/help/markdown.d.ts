/** A Markdown file as its text: the bundler and the tests load it so. */
declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how a text is imported.
  export default text;
}
