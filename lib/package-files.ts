// Where the files of this package lie, in a checkout and in the published bundle alike (there `import.meta.url` is a chunk's).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_LEVELS = 6;

/** The folder with our package.json. @throws Error when the files were moved out of their package */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < MOST_LEVELS; level++) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    folder = dirname(folder);
  }
  throw new Error('the files of the package farloop are not where they belong: install it again');
}

/** As in package.json. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  return manifest.version;
}

/** The console's static files. */
export function consoleFolder(): string {
  const source = join(packageFolder(), 'lib', 'api', 'console');
  return existsSync(source) ? source : join(packageFolder(), 'dist', 'console');
}
