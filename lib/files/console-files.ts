// The console's files by name: bundled from the sources in a checkout, when first asked for; read from dist/console in a package.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { consoleFolder } from './package-files.ts';

/** A file, and the same compressed. */
export interface ConsoleFile {
  plain: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

type Bundle = (sources: string, options: { isQuick: boolean }) => Promise<Map<string, ConsoleFile>>;

let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

/** @throws Error when the sources of a checkout cannot be bundled; the next call tries again */
export async function consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  files ??= readOrBundle();
  files.catch(() => {
    files = undefined;
  });
  return await files;
}

const digests = new WeakMap<ReadonlyMap<string, ConsoleFile>, string>();

/** By which a page knows whether this process would serve it as it is. @returns undefined where there is no console */
export async function consoleDigest(): Promise<string | undefined> {
  const found = await consoleFiles().catch(() => undefined);
  if (!found) return undefined;
  const known = digests.get(found);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const [name, { plain }] of [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))) hash.update(name).update(plain);
  const digest = hash.digest('base64url').slice(0, 12);
  digests.set(found, digest);
  return digest;
}

async function readOrBundle(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const folder = consoleFolder();
  if (!existsSync(join(folder, 'main.tsx'))) return await readConsole(folder);
  // By its place, so that no bundle of ours takes in the bundler.
  const here = join(dirname(fileURLToPath(import.meta.url)), 'console-bundle.ts');
  const { bundleConsole }: { bundleConsole: Bundle } = await import(pathToFileURL(here).href);
  return await bundleConsole(folder, { isQuick: true });
}

async function readConsole(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await readdir(folder);
  const read = async (name: string): Promise<Buffer | undefined> => (names.includes(name) ? await readFile(join(folder, name)) : undefined);
  const plain = names.filter((name) => !/\.(?:br|gz)$/.test(name));
  return new Map(
    await Promise.all(
      plain.map(async (name): Promise<[string, ConsoleFile]> => {
        const [contents, br, gzip] = await Promise.all([readFile(join(folder, name)), read(`${name}.br`), read(`${name}.gz`)]);
        return [name, { plain: contents, ...(br && { br }), ...(gzip && { gzip }) }];
      }),
    ),
  );
}
