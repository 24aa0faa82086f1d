// The token of console and API, kept in the state folder: a browser that has signed in stays so after a restart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTrusted, writePrivately } from '../../files/private-files.ts';
import { newToken } from './local-api.ts';

const TOKEN_FILE = 'token';
const WELL_FORMED = /^[\w-]{32}$/;

/** @param folder which this process holds. @returns the token of the last start, or a new one where it is absent or unusable */
export function tokenOf(folder: string): string {
  const path = join(folder, TOKEN_FILE);
  const kept = keptIn(path);
  if (kept !== undefined) return kept;
  const token = newToken();
  writePrivately(path, `${token}\n`);
  return token;
}

function keptIn(path: string): string | undefined {
  // One that somebody else has put there is known to somebody else.
  if (!isTrusted(path)) return undefined;
  try {
    const text = readFileSync(path, 'utf8').trim();
    return WELL_FORMED.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
