// What each function's bundle holds of the tables of kinds: facts, planners, what is shown; an API server's rules about pods where runs are begun;
// never what only `plan` and the sandbox need.
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const TABLES = ['facts', 'planners', 'shown', 'manifests', 'definitions'].map((name) => `lib/kinds/${name}.ts`);
/** The tables that each may hold. */
const MAY_HOLD: Record<string, readonly string[]> = {
  // Planners are read when somebody asks for a plan; nothing is run with it.
  api: ['facts', 'planners', 'shown', 'admission', 'documents'],
  ingest: ['facts'],
  reconcile: ['facts', 'planners', 'shown'],
  sweep: ['facts'],
  timers: ['facts'],
  relay: ['facts'],
};
/** What decides, shows and reads, apart from the table that names it. */
const PARTS: Record<string, RegExp> = {
  planners: /^lib\/kinds\/(?!rows\/)[^/]+\/(?:(?:plan|row)\.ts$|engine\/)/,
  shown: /^lib\/kinds\/[^/]+\/shown\.ts$/,
  admission: /^lib\/admission\//,
  documents: /^lib\/kinds\/rows\/manifest-documents/,
  manifests: /^lib\/(?:sandbox\/|kinds\/(?!rows\/)[^/]+\/manifest|kinds\/rows\/manifest(?!-documents))/,
  definitions: /^lib\/kinds\/[^/]+\/definition/,
};

/** The files of ours that a bundle has anything of, as it is built for a function: what is not reached is left out. */
async function filesOf(entryPoints: readonly string[]): Promise<Map<string, string[]>> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: 'never-written',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    treeShaking: true,
    logLevel: 'silent',
  });
  return new Map(
    Object.values(metafile.outputs).flatMap(({ entryPoint, inputs }): [string, string[]][] => {
      const files = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
      return entryPoint === undefined ? [] : [[basename(entryPoint, '.ts'), files.map(([file]) => file)]];
    }),
  );
}

const functions = readdirSync(join(ROOT, 'functions')).filter((file) => file.endsWith('.ts'));
const bundles = await filesOf([...functions.map((file) => `functions/${file}`), 'lib/cli/relay/relay.ts']);

test('there is a line for every function', () => {
  expect([...bundles.keys()].toSorted()).toEqual(Object.keys(MAY_HOLD).toSorted());
});

test.each(Object.entries(MAY_HOLD))('the bundle of %s holds no table but %j', (name, allowed) => {
  const files = bundles.get(name) ?? [];
  expect(files.length).toBeGreaterThan(10);
  const tables = TABLES.filter((table) => files.includes(table)).map((table) => basename(table, '.ts'));
  expect(tables.filter((table) => !allowed.includes(table))).toEqual([]);
  for (const [table, parts] of Object.entries(PARTS))
    if (!allowed.includes(table)) expect(files.filter((file) => parts.test(file))).toEqual([]);
});

test('whoever needs a table has it', () => {
  expect(bundles.get('reconcile')).toContain('lib/kinds/planners.ts');
  expect(bundles.get('api')).toContain('lib/kinds/shown.ts');
});
