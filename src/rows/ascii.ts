/** The bytes that JSON and CSV are made of, by name: single constants, which the bundler writes in as numbers. */

export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const quote = 0x22;
export const apostrophe = 0x27;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const semicolon = 0x3b;
export const less = 0x3c;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const letterE = 0x65;
export const letterF = 0x66;
export const letterN = 0x6e;
export const letterT = 0x74;
export const letterU = 0x75;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
