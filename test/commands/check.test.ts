import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What `adreport check` finds in folders that `run` filled, and that somebody then laid hands on. */

/** A folder of seven days, and what a harm needs to be done to it. */
interface Folder {
  /** The path of a file of the folder. */
  path(name: string): string;
  /** The name of the file of a day of November. */
  fileOf(day: number): string;
  /** Runs `adreport` beside the folder, at some day of November at noon where one is given. */
  adreport(line: string, day?: number): Promise<void>;
  /** The lines of the books, and what takes their place. */
  readLines(): string[];
  writeLines(lines: readonly string[]): void;
}

/** A finding as its kind and its file, without the folder; without a file it is of the folder, or of a time. */
type ShortFinding = string;

interface Harm {
  readonly name: string;
  harm(folder: Folder): void | Promise<void>;
  findings(folder: Folder): ShortFinding[];
}

const request = '--by DAILY,CAMPAIGN --metrics displays,downloads,revenueEuro';

function editBytes(path: string, edit: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, edit(readFileSync(path)));
}

/** Sets the last byte of a file to another value. */
function changeByte(path: string): void {
  editBytes(path, (bytes) => {
    const last = bytes.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    return bytes;
  });
}

const harms: readonly Harm[] = [
  {
    name: 'a file is removed',
    harm: ({ path, fileOf }) => rmSync(path(fileOf(10))),
    findings: ({ fileOf }) => [`missing file ${fileOf(10)}`],
  },
  {
    name: 'all files are removed',
    harm: ({ path, fileOf }) => {
      for (let day = 9; day <= 15; day += 1) rmSync(path(fileOf(day)));
    },
    findings: ({ fileOf }) =>
      [9, 10, 11, 12, 13, 14, 15].map((day) => `missing file ${fileOf(day)}`),
  },
  {
    name: 'a file is cut in half',
    harm: ({ path, fileOf }) =>
      editBytes(path(fileOf(10)), (bytes) => bytes.subarray(0, bytes.length / 2)),
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`],
  },
  {
    name: 'a file is emptied',
    harm: ({ path, fileOf }) => truncateSync(path(fileOf(10)), 0),
    findings: ({ fileOf }) => [`empty file ${fileOf(10)}`],
  },
  {
    name: 'one byte of a file is changed',
    harm: ({ path, fileOf }) => changeByte(path(fileOf(10))),
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`],
  },
  {
    name: 'something is appended to a file',
    harm: ({ path, fileOf }) => appendFileSync(path(fileOf(10)), 'more'),
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`],
  },
  {
    name: 'two files are swapped',
    harm: ({ path, fileOf }) => {
      renameSync(path(fileOf(10)), path('aside'));
      renameSync(path(fileOf(11)), path(fileOf(10)));
      renameSync(path('aside'), path(fileOf(11)));
    },
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`, `changed file ${fileOf(11)}`],
  },
  {
    name: 'a day is copied over another one',
    harm: ({ path, fileOf }) => copyFileSync(path(fileOf(10)), path(fileOf(11))),
    findings: ({ fileOf }) => [`changed file ${fileOf(11)}`],
  },
  {
    name: 'a file is renamed',
    harm: ({ path, fileOf }) => renameSync(path(fileOf(10)), path(fileOf(10).replace('p', 'q'))),
    findings: ({ fileOf }) => [
      `missing file ${fileOf(10)}`,
      `no line ${fileOf(10).replace('p', 'q')}`,
    ],
  },
  {
    name: 'a file is hidden from readers by its name',
    harm: ({ path, fileOf }) => renameSync(path(fileOf(10)), path(`_${fileOf(10)}`)),
    findings: ({ fileOf }) => [`missing file ${fileOf(10)}`],
  },
  {
    name: 'a day stands there twice',
    harm: ({ path, fileOf }) => copyFileSync(path(fileOf(10)), path(`copy-${fileOf(10)}`)),
    findings: ({ fileOf }) => [`no line copy-${fileOf(10)}`],
  },
  {
    name: 'a link stands in place of a file',
    harm: ({ path, fileOf }) => {
      rmSync(path(fileOf(10)));
      symlinkSync(fileOf(11), path(fileOf(10)));
    },
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`],
  },
  {
    name: 'a folder stands in place of a file',
    harm: ({ path, fileOf }) => {
      rmSync(path(fileOf(10)));
      mkdirSync(path(fileOf(10)));
    },
    findings: ({ fileOf }) => [`missing file ${fileOf(10)}`],
  },
  {
    name: 'a foreign file lies among them',
    harm: ({ path }) => writeFileSync(path('foreign.csv'), 'a,b\n1,2\n'),
    findings: () => ['no line foreign.csv'],
  },
  {
    name: 'an older copy is restored',
    harm: async ({ path, fileOf, adreport }) => {
      copyFileSync(path(fileOf(15)), path('../backup'));
      await adreport(`--period 2026-11-15 ${request}`, 19);
      copyFileSync(path('../backup'), path(fileOf(15)));
    },
    findings: ({ fileOf }) => [`changed file ${fileOf(15)}`],
  },
  {
    name: 'a day of another request is fetched into it',
    harm: ({ adreport }) => adreport('--period 2026-11-10 --by DAILY,OS --metrics displays'),
    findings: ({ fileOf }) => ['missing unit', `other request ${fileOf(10)}`],
  },
  {
    name: 'a day with a metric more is fetched into it',
    harm: ({ adreport }) => adreport(`--period 2026-11-10 ${request},clicks`),
    findings: ({ fileOf }) => ['missing unit', `other request ${fileOf(10)}`],
  },
  {
    name: 'a day was fetched before it was over',
    harm: ({ adreport }) => adreport(`--since 2026-11-16 --until now ${request}`, 16),
    findings: ({ fileOf }) => [`early ${fileOf(16)}`],
  },
  {
    name: 'days were never fetched',
    harm: ({ adreport }) => adreport(`--period 2026-11-18 ${request}`),
    findings: () => ['missing unit'],
  },
  {
    name: 'the books are removed',
    harm: ({ path }) => rmSync(path('_adreport.ndjson')),
    findings: ({ fileOf }) => [9, 10, 11, 12, 13, 14, 15].map((day) => `no line ${fileOf(day)}`),
  },
  {
    name: 'the books are emptied',
    harm: ({ path }) => truncateSync(path('_adreport.ndjson'), 0),
    findings: ({ fileOf }) => [9, 10, 11, 12, 13, 14, 15].map((day) => `no line ${fileOf(day)}`),
  },
  {
    name: 'a line is taken out of the books',
    harm: ({ readLines, writeLines, fileOf }) =>
      writeLines(readLines().filter((line) => !line.includes(fileOf(10)))),
    findings: ({ fileOf }) => ['missing unit', `no line ${fileOf(10)}`],
  },
  {
    name: 'the books are cut within a line',
    harm: ({ readLines, writeLines, fileOf }) => {
      const others = readLines().filter((line) => !line.includes(fileOf(10)));
      const own = readLines().filter((line) => line.includes(fileOf(10)));
      writeLines([...others, ...own.map((line) => line.slice(0, 300))]);
    },
    findings: ({ fileOf }) => ['books _adreport.ndjson', 'missing unit', `no line ${fileOf(10)}`],
  },
  {
    name: 'a line of the books is edited',
    harm: ({ readLines, writeLines, fileOf }) => {
      const edited = readLines().map((line) =>
        line.includes(fileOf(10)) ? line.replace(/"sha256":"./, '"sha256":"x') : line,
      );
      writeLines(edited);
    },
    findings: ({ fileOf }) => [`changed file ${fileOf(10)}`],
  },
  {
    name: 'a line of the books tells another file',
    harm: ({ readLines, writeLines, fileOf }) => {
      const edited = readLines().map((line) => line.replace(fileOf(10), fileOf(28)));
      writeLines(edited);
    },
    findings: ({ fileOf }) => [`missing file ${fileOf(28)}`, `no line ${fileOf(10)}`],
  },
  {
    name: 'something else is written into the books',
    harm: ({ path }) => appendFileSync(path('_adreport.ndjson'), '{"hello":"world"}\n'),
    findings: () => ['books _adreport.ndjson'],
  },
];

async function makeFolder(ending: string): Promise<{ folder: Folder; cwd: string }> {
  let nowMs = Date.UTC(2026, 10, 16, 4);
  const { run, cwd } = await serveForTest({ delayMs: 0, restateDays: 9, clock: () => nowMs });
  const output = `-o data/part-{date}.${ending}`;

  const folder: Folder = {
    path: (name) => join(cwd, 'data', name),
    fileOf: (day) => `part-2026-11-${String(day).padStart(2, '0')}.${ending}`,
    async adreport(line, day = 20) {
      nowMs = Date.UTC(2026, 10, day, 12);
      const { exitCode, stderr } = await run(`run ${line} --split day -q ${output}`, {
        now: nowMs,
      });
      expect(exitCode, stderr).toBe(0);
    },
    readLines: () => {
      const text = readFileSync(join(cwd, 'data/_adreport.ndjson'), 'utf8');
      return text.trimEnd().split('\n');
    },
    writeLines: (lines) =>
      writeFileSync(join(cwd, 'data/_adreport.ndjson'), lines.map((line) => `${line}\n`).join('')),
  };

  await folder.adreport(`--period 2026-11-09..2026-11-15 ${request}`, 16);
  return { folder, cwd };
}

async function findingsOf(cwd: string) {
  const { exitCode, stdout } = await runCli('check data --json', { cwd });
  const { findings } = JSON.parse(stdout);
  return { exitCode, findings };
}

/** The long tests do the same harm to a folder of Parquet files. */
const endings = process.env.CASES ? ['csv', 'parquet'] : ['csv'];

for (const ending of endings) {
  test.each(harms)(`$name: check finds it (${ending})`, async ({ harm, findings }) => {
    const { folder, cwd } = await makeFolder(ending);
    expect(await findingsOf(cwd)).toEqual({ exitCode: 0, findings: [] });

    await harm(folder);

    const checked = await findingsOf(cwd);
    const shortened = checked.findings.map(({ kind, file = '' }: { kind: string; file?: string }) =>
      `${kind} ${file.replace('data/', '')}`.trim(),
    );
    expect(shortened.sort()).toEqual(findings(folder).sort());
    expect(checked.exitCode).toBe(9);
    for (const { file, sentence } of checked.findings) {
      if (file !== undefined) expect(sentence).toContain(file.replace('data/', ''));
    }
  });
}
