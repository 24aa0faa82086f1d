// The operator's binaries, built once from their Go module into the cache folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('build.sh', import.meta.url));

/** @returns the folder with them, as build.sh says. @throws Error when they cannot be built */
export function builtOperator(): string {
  const digest = createHash('sha256').update(readFileSync(BUILD)).digest('hex').slice(0, 16);
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'farloop', 'training-operator', digest);
  if (existsSync(folder)) return folder;
  console.log('building the training operator: up to ten minutes the first time');
  const building = `${folder}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  const { status, error } = spawnSync('nice', ['bash', BUILD, building], { stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`the training operator cannot be built (${error?.message ?? `exit ${status}`}): Go and the Go module proxy are needed`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
  return folder;
}
