// The console's files: a fixed list, so that no path can lead to another file.
import { extname } from 'node:path';
import { consoleFiles } from '../files/console-files.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

export interface StaticFile {
  contentType: string;
  /** Absent: as it is. */
  contentEncoding?: 'br' | 'gzip';
  body: Buffer;
}

/**
 * @param path decoded parts; empty for the page itself
 * @param accepted the request's Accept-Encoding
 * @returns undefined if the path is not one of the console's files
 */
export async function readStaticFile(path: readonly string[], accepted = ''): Promise<StaticFile | undefined> {
  const name = path.length === 0 ? 'index.html' : path.length === 2 && path[0] === 'console' ? path[1] : undefined;
  const contentType = name === undefined ? undefined : TYPES.get(extname(name));
  if (name === undefined || contentType === undefined) return undefined;
  const file = (await consoleFiles()).get(name);
  if (!file) return undefined;
  const encodings = accepted.split(',').map((each) => each.trim().split(';')[0]);
  for (const contentEncoding of ['br', 'gzip'] as const) {
    const body = file[contentEncoding];
    if (body && encodings.includes(contentEncoding)) return { contentType, contentEncoding, body };
  }
  return { contentType, body: file.plain };
}
