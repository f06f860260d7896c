/** Fast tests once more, with ten times as many random cases, and with every format. */
process.env.CASES = '10';

await import('../report/never-silent.test.ts');
await import('../commands/check.test.ts');

export {};
