// The page of worked cases, made of the tests themselves: which number stands where, and what it claims there.
// `node test/worked-cases.ts` writes it anew.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
export const PAGE = 'docs/worked-cases.md';

/** Cases of parts that there are none of here. */
export const NO_TRAINING_CASES: Readonly<Record<string, string>> = {
  'case 10': 'the larger of two numbers is the language’s own',
  'case 12': 'kinds are not enabled one by one: `--manage training-jobs` takes all of them',
};
export const NO_PREEMPTION_CASES: Readonly<Record<string, string>> = {
  Q27: 'the resources of a whole pod always count: no switch takes them away',
  C12: 'nothing asks for the source of a pod by its name',
  U1: 'a text of log lines about updates of pods, which no node is sent here',
};

/** What the letters of admission and preemption are about. */
const LETTERS = {
  P: 'who is evicted, in both orderings',
  Q: 'which class of quality of service a pod is of',
  C: 'which pods are critical',
  N: 'which pods are critical to their node',
  R: 'which pod may go for which',
  U: 'updates of pods',
  D: 'how far a pod is from enough',
  S: 'what is left to be freed',
  M: 'which of two pods asks for more',
  H: 'which failures are left, and who makes room',
  A: 'admission from end to end',
  E: 'what a pod asks for',
} as const;

interface Claim {
  number: string;
  says: string;
  file: string;
}

/** In names of tests alone: in no comment. */
const codeOf = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root })
    .filter((file) => !/(?:^test|training|preemption)\/worked-cases\.test\.ts$/.test(file))
    .toSorted();
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const asCode = (row: string): string => `\`${inOneLine(row.replaceAll('`', "'"))}\``;

/** `case 5: the claim` and `cases 5, 7 and 9: the claim`; no range stands for several. A row of a table that is named by its number says it. */
function numberedCases(files: readonly string[]): Claim[] {
  return files.flatMap((file) => {
    const code = codeOf(file);
    return [...code.matchAll(/(['"`])((?:(?!\1).)*\bcases? (?:\d+(?:, | and )?)+(?:(?!\1).)*)\1/g)].flatMap(
      ({ index, 0: whole, 2: name = '' }) => {
        const numbers = [...name.matchAll(/\bcases? ((?:\d+(?:, | and )?)+)/g)].flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
        const claim = name.replaceAll(/[(,]?\s*\bcases? (?:\d+(?:, | and )?)+[:,)]?/g, ' ').replace(/^[\s:,]+/, '');
        const row = /^, *(.*?)\]?,?$/m.exec(code.slice(index + whole.length))?.[1] ?? '';
        const says = claim.trim() === '' ? asCode(row) : inOneLine(claim.replaceAll(/%[sdij]|\$[a-z]\w*/g, '…'));
        return numbers.map((number) => ({ number, says, file }));
      },
    );
  });
}

/** `A1: the claim` in the name of a test, or the row of a table that begins with the number: that row says it. */
function letteredCases(files: readonly string[]): Claim[] {
  return files.flatMap((file) => {
    const code = codeOf(file);
    const named = [...code.matchAll(/(['"`])((?:[A-Z]\d+(?:, | and )?)+): ((?:(?!\1).)*)\1/g)].flatMap(([, , list = '', says = '']) =>
      (list.match(/[A-Z]\d+/g) ?? []).map((number) => ({ number, says: inOneLine(says), file })),
    );
    const rows = [...code.matchAll(/^[ \t]*(?:\[(['"`])([A-Z]\d+)\1,|([A-Z]\d+):) *(.*?)\]?,?$/gm)].map(
      ([, , quoted, key, row = '']): Claim => ({
        number: quoted ?? key ?? '',
        says: asCode(row),
        file,
      }),
    );
    return [...named, ...rows];
  });
}

/** `RO5: the claim` in the name of a test. */
function runCases(files: readonly string[]): Claim[] {
  return files.flatMap((file) =>
    [...codeOf(file).matchAll(/(['"`])RO(\d+): ((?:(?!\1).)*)\1/g)].map(([, , number = '', says = '']) => ({
      number: `RO${number}`,
      says: inOneLine(says),
      file,
    })),
  );
}

function rowsOf(claims: readonly Claim[], numbers: readonly string[], reasons: Readonly<Record<string, string>> = {}): string[] {
  const byNumber = Map.groupBy(claims, ({ number }) => number);
  const only = (texts: readonly string[]): string[] => [...new Set(texts)];
  return numbers.map((number) => {
    const reason = reasons[number] ?? reasons[`case ${number}`];
    if (reason !== undefined) return `| ${number} | none: ${reason} | |`;
    const own = byNumber.get(number) ?? [];
    const files = only(own.map(({ file }) => `\`${file}\``));
    return `| ${number} | ${only(own.map(({ says }) => says)).join('; ')} | ${files.join(', ')} |`;
  });
}

const upTo = (most: number, letter = ''): string[] => Array.from({ length: most }, (_, at) => `${letter}${at + 1}`);
const head = (title: string): string[] => [`| ${title} | what it claims | test |`, '| --- | --- | --- |'];

/** @param most how many there are of each */
export function workedCases(most: {
  jobs: number;
  training: number;
  preemption: Readonly<Record<keyof typeof LETTERS, number>>;
  logs: number;
  runs: number;
}): string {
  const training = filesOf('test/kinds/training/**/*.test.ts');
  const preemption = filesOf(
    'test/kinds/preemption/**/*.test.ts',
    'test/kinds/virtual-pod/*.test.ts',
    'test/objects/pods/qos-class.test.ts',
  );
  const jobs = filesOf('test/**/*.test.ts').filter((file) => !training.includes(file));
  const lettered = letteredCases(preemption);
  return `${[
    '# Worked cases',
    '',
    'Names of tests cite numbers: each stands for one example of what a part must do, worked out before the part was written. Here is what each',
    'number claims, in the words of the tests themselves, and where they are. `node test/worked-cases.ts` writes this page anew.',
    '',
    '## Jobs',
    '',
    ...head('case'),
    ...rowsOf(numberedCases(jobs), upTo(most.jobs)),
    '',
    '## Training jobs',
    '',
    'Their numbers begin anew. What `B-01` to `B-46` put right is told in [training jobs](training-jobs.md).',
    '',
    ...head('case'),
    ...rowsOf(numberedCases(training), upTo(most.training), NO_TRAINING_CASES),
    '',
    '## Admission and preemption',
    '',
    'A letter says what a case is about. Where a row of a table is the test, that row stands here.',
    ...(Object.entries(LETTERS) as [keyof typeof LETTERS, string][]).flatMap(([letter, about]) => [
      '',
      `### ${letter}: ${about}`,
      '',
      ...head('case'),
      ...rowsOf(lettered, upTo(most.preemption[letter], letter), NO_PREEMPTION_CASES),
    ]),
    '',
    '## Logs of a virtual node',
    '',
    'What is asked for by the query of a log, or refused.',
    '',
    ...head('case'),
    ...rowsOf(letteredCases(filesOf('test/node-api/*.test.ts')), upTo(most.logs, 'L')),
    '',
    '## Runs',
    '',
    'Pods of a manifest that are run once, by `farloop run-once` or the API.',
    '',
    ...head('case'),
    ...rowsOf(
      runCases(filesOf('test/kinds/run-once/*.test.ts', 'test/reconciler/runs/*.test.ts', 'test/api/runs.test.ts')),
      upTo(most.runs, 'RO'),
    ),
  ].join('\n')}\n`;
}

export const MOST = {
  jobs: 164,
  training: 98,
  preemption: { P: 41, Q: 28, C: 12, N: 7, R: 8, U: 1, D: 6, S: 6, M: 6, H: 14, A: 24, E: 14 },
  logs: 9,
  /** RO1 to RO42, in the list of the specification of run-once. */
  runs: 42,
};

if (import.meta.main) writeFileSync(join(root, PAGE), workedCases(MOST));
