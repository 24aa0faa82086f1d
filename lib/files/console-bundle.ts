// Bundles the console's sources for browsers. Only a checkout has sources and bundler; a package has the outcome, in dist/console.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import type { ConsoleFile } from './console-files.ts';

/** Copied as they are. */
const AS_THEY_ARE = ['index.html', 'icon.svg'];
/** The best takes half a second, which somebody who waits for the page notices. */
const QUICK_QUALITY = 5;

/**
 * @param sources the folder lib/console
 * @param options.isQuick larger files, sooner
 * @returns the files by name. @throws Error with the bundler's words, when a source is wrong
 */
export async function bundleConsole(sources: string, { isQuick }: { isQuick: boolean }): Promise<Map<string, ConsoleFile>> {
  const { outputFiles } = await build({
    entryPoints: { console: join(sources, 'main.tsx'), style: join(sources, 'style', 'all.css') },
    outdir: '/',
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'part-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'eof',
    logLevel: 'silent',
  });
  const plain: [string, Uint8Array][] = [
    ...outputFiles.map(({ path, contents }): [string, Uint8Array] => [path.replace(/^.*[/\\]/, ''), contents]),
    ...AS_THEY_ARE.map((name): [string, Uint8Array] => [name, readFileSync(join(sources, name))]),
  ];
  const files = await Promise.all(
    plain.map(async ([name, contents]): Promise<[string, ConsoleFile]> => {
      const [br, zipped] = await Promise.all([
        promisify(brotliCompress)(contents, {
          params: { [constants.BROTLI_PARAM_QUALITY]: isQuick ? QUICK_QUALITY : constants.BROTLI_MAX_QUALITY },
        }),
        promisify(gzip)(contents, { level: isQuick ? QUICK_QUALITY : constants.Z_BEST_COMPRESSION }),
      ]);
      return [name, { plain: Buffer.from(contents), br, gzip: zipped }];
    }),
  );
  return new Map(files);
}

/** Writes the files, each beside its compressed ones. Nothing is touched that stays the same, so that several may write there at once. */
export async function writeConsole(sources: string, folder: string): Promise<void> {
  const wanted = new Map<string, Buffer>();
  for (const [name, { plain, br, gzip: zipped }] of await bundleConsole(sources, { isQuick: false })) {
    wanted.set(name, plain);
    if (br) wanted.set(`${name}.br`, br);
    if (zipped) wanted.set(`${name}.gz`, zipped);
  }
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  for (const [name, contents] of wanted) {
    const path = join(folder, name);
    if (isThere(path, contents)) continue;
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}

function isThere(path: string, contents: Buffer): boolean {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
