// The shape of the repository, read from its files: who may import whom, what must stay pure, what must not stand anywhere.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '..');
const MOST_FILES = 20;

/** The table in docs/architecture.md: for each layer those that it may import. An import points down, along an arrow; never up, never sideways. */
function layersOnThePage(): Map<string, readonly string[]> {
  const [, section = ''] = textOf('docs/architecture.md').split('## Which way imports point');
  const [table = ''] = section.split('\n## ');
  const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, word]) => word ?? '');
  const rows = [...table.matchAll(/^\| (`.*?) \| (.*?) \|$/gm)];
  return new Map(rows.flatMap(([, from = '', to = '']) => wordsIn(from).map((layer) => [layer, wordsIn(to)] as const)));
}

const sources = globSync(['lib/**/*.{ts,tsx}', 'functions/**/*.ts', 'infra/**/*.ts'], { cwd: root, exclude: ['**/*.d.ts'] });
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** `lib/api/routes.ts` → `api`; `lib/runtime.ts` → `runtime`; `functions/api.ts` → `functions`. */
function layerOf(file: string): string {
  const [top, second] = file.split('/');
  if (top !== 'lib') return top ?? '';
  return (second ?? '').replace(/\.ts$/, '');
}

/** Static, type-only, side-effect and dynamic imports, re-exports. */
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)'([^']+)'/gm)].map(([, specifier]) => specifier ?? '');

/** Of each source the files that it imports. */
const targetsOf: ReadonlyMap<string, readonly string[]> = new Map(
  sources.map((file) => [file, importsOf(textOf(file)).flatMap((to) => (to.startsWith('.') ? [join(dirname(file), to)] : []))]),
);

/** @returns the ways that lead back to where they began, each once, as `a.ts → b.ts → a.ts` */
function circlesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const seen = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    const at = way.indexOf(file);
    if (at >= 0) circles.push([...way.slice(at), file].join(' → '));
    if (seen.has(file)) return;
    seen.add(file);
    way.push(file);
    targets.get(file)?.forEach(visit);
    way.pop();
  };
  for (const file of targets.keys()) visit(file);
  return circles;
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<![:'"`])\/\/.*$/gm, '');

const trackedFiles = (): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '');

describe('dependency rule', () => {
  const layers = layersOnThePage();

  test('every folder and file of lib has its place in the table on the page', () => {
    expect([...new Set(sources.map(layerOf))].toSorted()).toEqual([...layers.keys()].toSorted());
  });

  test('an import points down, never up, never sideways', () => {
    const wrong = [...targetsOf].flatMap(([file, targets]) =>
      targets
        .filter((target) => layerOf(target) !== layerOf(file) && !layers.get(layerOf(file))?.includes(layerOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no file imports itself through others', () => {
    expect(circlesIn(targetsOf)).toEqual([]);
  });

  test('no folder imports itself through others', () => {
    const folders = new Map<string, string[]>();
    for (const [file, targets] of targetsOf) {
      const others = targets.map((target) => dirname(target)).filter((folder) => folder !== dirname(file));
      folders.set(dirname(file), [...new Set([...(folders.get(dirname(file)) ?? []), ...others])]);
    }
    expect(circlesIn(folders)).toEqual([]);
  });

  test('no folder holds more files than a newcomer takes in', () => {
    const files = Map.groupBy(sources, (file) => dirname(file));
    expect([...files].filter(([, { length }]) => length > MOST_FILES).map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
  });

  test('kinds, objects, ports and reconciler know no technology', () => {
    const wrong: string[] = [];
    for (const file of sources) {
      if (!['admission', 'objects', 'kinds', 'ports', 'reconciler', 'wire'].includes(layerOf(file))) continue;
      for (const specifier of importsOf(textOf(file)))
        if (/^(@aws-sdk|@smithy|@kubernetes|commander|js-yaml|serverless-http|node:(http|https|net|fs|sqlite))/.test(specifier))
          wrong.push(`${file} imports ${specifier}`);
    }
    expect(wrong).toEqual([]);
  });

  test('the command line starts fast: a command loads what it runs on only when it runs', () => {
    const heavyPackage = /^(@aws-sdk|@smithy|@kubernetes|js-yaml)/;
    const heavyLayers = new Set(['sandbox', 'relay', 'runtime', 'adapters', 'functions', 'reconciler']);
    const seen = new Set<string>();
    const wrong: string[] = [];
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = textOf(file).replaceAll(/import type [^;]*;/g, '');
      for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;]*?from\s+'([^']+)'/gm)) {
        if (specifier === undefined) continue;
        const target = specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : undefined;
        if (heavyPackage.test(specifier) || (target !== undefined && heavyLayers.has(layerOf(target))))
          wrong.push(`${file} imports ${specifier}`);
        else if (target !== undefined) visit(target);
      }
    };
    visit('lib/cli/main.ts');
    expect(wrong).toEqual([]);
  });
});

test('kinds, admission and objects know no clock, no chance, no environment', () => {
  const forbidden = /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\.env\b|\brandomUUID\b|\brandomBytes\b|\bperformance\.now\b/;
  const wrong = sources.filter(
    (file) => ['admission', 'objects', 'kinds'].includes(layerOf(file)) && forbidden.test(withoutComments(textOf(file))),
  );
  expect(wrong).toEqual([]);
});

test('a file is named for the question it answers', () => {
  const vague = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'misc', 'shared']);
  const files = [...sources, ...globSync('test/**/*.ts', { cwd: root })];
  expect(files.filter((file) => vague.has(basename(file).split('.')[0] ?? ''))).toEqual([]);
});

test('the page for contributors names every dependency of the published package', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(textOf('package.json'));
  const page = textOf('CONTRIBUTING.md');
  expect(Object.keys(dependencies).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe('the pages', () => {
  const headingsOf = (page: string): string[] => [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title ?? '');
  /** As GitHub makes anchors of headings. */
  const anchorOf = (title: string): string =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');

  test('each rule from R1 to R19 has its heading, and no other rule is cited', () => {
    const rules = headingsOf('docs/rules.md').flatMap((title) => /^(R\d+): /.exec(title)?.[1] ?? []);
    expect(rules).toEqual(Array.from({ length: 19 }, (_, at) => `R${at + 1}`));
    const files = globSync(['{lib,functions,infra,test}/**/*.{ts,tsx,mjs}', 'docs/**/*.md', '*.md'], { cwd: root });
    const wrong = files.flatMap((file) =>
      [...textOf(file).matchAll(/\bR[1-9]\d?\b/g)].filter(([rule]) => !rules.includes(rule)).map(([rule]) => `${file} cites ${rule}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every file and folder that a page names is there', () => {
    // Decision 3 names tests without their folder and ending; test/mutants/tables.test.ts looks for them.
    const pages = globSync(['docs/**/*.md', '{README,CONTRIBUTING,SECURITY}.md'], { cwd: root, exclude: ['docs/decisions/0003-*'] });
    const wrong = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`((?:bin|docs|examples|functions|infra|lib|test)\/[^`<>*\s]*)`/g)]
        .filter(([, path = '']) => !existsSync(join(root, path)))
        .map(([, path]) => `${page} names ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every link to a page of ours leads to a heading', () => {
    const linking = globSync(['docs/**/*.md', '*.md'], { cwd: root });
    const wrong = linking.flatMap((page) =>
      [...textOf(page).matchAll(/\](?:\(|: )(?!https?:)([^)#\s]*)(?:#([^)\s]*))?(?:\)|$)/gm)].flatMap(([link, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return [`${page}: ${link}`];
        return anchor === undefined || headingsOf(target).map(anchorOf).includes(anchor) ? [] : [`${page}: ${link}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

test('no path of a machine and no address of a package registry stands in a tracked file', () => {
  // In brackets, so that this file does not name them itself.
  const machine = '/[w]ork/|/[r]oot/|/[h]ome/[a-z]';
  const registries = '[n]pmjs\\.org|[y]arnpkg\\.com|[p]ypi\\.org|[a]rtifactory|[m]aven\\.org|[g]olang\\.org/';
  const forbidden = new RegExp(`(?<![\\w.$}~-])(?:${machine})|https?://[^\\s'"]*(?:${registries})`);
  const wrong = trackedFiles().filter((file) => {
    try {
      return forbidden.test(textOf(file));
    } catch {
      return false; // removed, and not yet committed
    }
  });
  expect(wrong).toEqual([]);
});
