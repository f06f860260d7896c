export const bundledImport: RegExp;

export function bundledText(path: string): string;
