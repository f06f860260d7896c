/** The command lines that a page of help gives as examples, with their meanings beside them or above them. */
export function readExamples(page: string): string[] {
  const beside = [...page.matchAll(/^ {2}(\S.*?) {3,}# \S.*$/gm)];
  const below = [...page.matchAll(/^ {2}# \S.*\n {2}(\S.*)$/gm)];
  return [...beside, ...below].sort((a, b) => a.index - b.index).map(([, line = '']) => line);
}
