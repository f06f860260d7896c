/** Fast tests once more, with ten times as many random cases. */
process.env.CASES = '10';

await import('../judge/never-silent.test.ts');

export {};
