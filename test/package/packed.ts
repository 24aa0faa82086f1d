// The package as npm packs it, and an environment without the checkout in it.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../cli/farloop-process.ts';

/** As in a shell of one's own: nothing that npm sets for its scripts, and the checkout's Node 24 not on the PATH. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|FARLOOP_|XDG_|INIT_CWD$|NODE_OPTIONS$)/i.test(name));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

/** @throws Error with the command and its output */
export function succeed(command: string, args: readonly string[], cwd: string, environment: NodeJS.ProcessEnv = process.env): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`);
}

/** @returns the path of the tarball in this folder */
export function pack(folder: string): string {
  // Packing by itself would build too, but say less when that fails.
  succeed(process.execPath, ['build.mjs'], root);
  succeed('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const [tarball = ''] = globSync('farloop-*.tgz', { cwd: folder });
  return join(folder, tarball);
}
