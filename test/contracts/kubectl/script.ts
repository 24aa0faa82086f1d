// kubectl commands in a row, run against a server, and what lasts of what it prints.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One command: its arguments, and what it reads from files or from its input. */
export interface Command {
  args: string;
  /** Texts of manifests; `{0}` in the arguments stands for the first one's path. */
  files?: string[];
  input?: string;
  /** Only what remains of these lines counts. */
  keep?: RegExp;
}

export interface Script {
  name: string;
  commands: Command[];
}

/** What a command said. */
export interface Said {
  args: string;
  code: number;
  out: string;
  err: string;
}

export interface Kubectl {
  run: (command: Command, namespace: string) => Promise<Said>;
  close: () => Promise<void>;
}

const patienceMs = 30_000;

/** @param kubeconfig the text of one */
export async function openKubectl(file: string, kubeconfig: string): Promise<Kubectl> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-kubectl-'));
  await writeFile(join(folder, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  let written = 0;
  return {
    async run({ args, files = [], input, keep }, namespace) {
      const paths = await Promise.all(
        files.map(async (text) => {
          written += 1;
          const path = join(folder, `manifest-${written}.yaml`);
          await writeFile(path, text);
          return path;
        }),
      );
      const words = wordsOf(args).map((word) => word.replaceAll(/\{(\d)\}/g, (_, index: string) => paths[Number(index)] ?? ''));
      const flags = [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cache-dir=${join(folder, 'cache')}`, `--namespace=${namespace}`];
      const [verb = '', ...rest] = words;
      const { code, out, err } = await execute(file, [verb, ...flags, ...rest], input);
      const last = (text: string): string => lasting(text, { folder, namespace, keep });
      return { args, code, out: last(out), err: last(err) };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function execute(file: string, args: string[], input: string | undefined): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const child = execFile(file, args, { timeout: patienceMs, maxBuffer: 16 * 1024 * 1024 }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
    child.stdin?.end(input ?? '');
  });
}

/** Words apart by blanks; quotes keep blanks. */
const wordsOf = (args: string): string[] =>
  [...args.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'/g, '$1'));

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?Z| ?[+-]\d{4})?/g, '<time>'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b(\d+h)?(\d+m)?\d+(\.\d+)?m?s\b/g, '<age>'],
  [/\b(\d{1,3}\.){3}\d{1,3}(:\d+)?\b/g, '<address>'],
  [/(resourceVersion"?: )"?\d+"?/g, '$1<version>'],
  [/(LIVE|MERGED)-\d+/g, '$1'],
  // A patch that does not fit is shown by each server in its own words.
  [/(patch: Invalid value: ).*/g, '$1<patch>'],
  // A warning of kubectl's own: when, and by which process.
  [/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+/gm, '<logged>'],
];

/**
 * What is the same on every server: ages, uids, times and addresses masked. Columns are as wide as what stands in them, so runs of
 * blanks count as two.
 */
function lasting(text: string, { folder, namespace, keep }: { folder: string; namespace: string; keep: RegExp | undefined }): string {
  let masked = text.replaceAll(folder, '<folder>').replaceAll(namespace, '<namespace>');
  for (const [pattern, shown] of masks) masked = masked.replaceAll(pattern, shown);
  const lines = masked.split('\n').map((line) => line.replaceAll(/(?<=\S) {2,}/g, '  ').trimEnd());
  return lines.filter((line) => keep === undefined || keep.test(line)).join('\n');
}
