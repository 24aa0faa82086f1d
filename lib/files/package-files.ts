// Where the files of this package lie, in a checkout and in the published bundle alike (there `import.meta.url` is a chunk's).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_LEVELS = 6;

/** @returns the first of the paths that lies in a folder above this file. @throws Error when the files were moved out of their package */
function fileAbove(...paths: readonly string[]): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < MOST_LEVELS; level++) {
    for (const path of paths) if (existsSync(join(folder, path))) return join(folder, path);
    folder = dirname(folder);
  }
  throw new Error('the files of the package farloop are not where they belong: install it again');
}

/** As in package.json. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(fileAbove('package.json'), 'utf8'));
  return manifest.version;
}

/** The console: its sources in a checkout, else its bundled files; a deployed function has nothing but them beside its bundle. */
export const consoleFolder = (): string => dirname(fileAbove(join('lib', 'console', 'main.tsx'), join('dist', 'console', 'index.html')));

/** The program that runs one pod of a local-process node, for Node to start. */
export const shimProgram = (): string =>
  fileAbove(join('lib', 'adapters', 'providers', 'local-process', 'shim', 'shim-program.ts'), join('dist', 'shim.mjs'));
