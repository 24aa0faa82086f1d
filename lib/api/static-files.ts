// The console's files: a fixed list, so that no path can lead to another file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consoleFolder } from '../files/package-files.ts';

// Keep a Map: an object would also have the name `constructor`.
const TYPES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['console.css', 'text/css; charset=utf-8'],
  ['console.js', 'text/javascript; charset=utf-8'],
  ['elements.js', 'text/javascript; charset=utf-8'],
  ['pages.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
]);

const read = new Map<string, Buffer>();

/** @param path decoded parts; empty for the page itself. @returns undefined if the path is not one of the console's files */
export async function readStaticFile(path: readonly string[]): Promise<{ contentType: string; body: Buffer } | undefined> {
  const name = path.length === 0 ? 'index.html' : path.length === 2 && path[0] === 'console' ? path[1] : undefined;
  const contentType = name === undefined ? undefined : TYPES.get(name);
  if (name === undefined || contentType === undefined) return undefined;
  const body = read.get(name) ?? (await readFile(join(consoleFolder(), name)));
  read.set(name, body);
  return { contentType, body };
}
