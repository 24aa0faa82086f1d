// Where a local instance keeps its state, and the note by which the other commands find it there while it runs.
import { readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Option } from 'commander';
import * as v from 'valibot';
import { isTrusted, writePrivately } from '../../files/private-files.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';

const Instance = v.object({
  /** Of the HTTP API; loopback. */
  url: v.pipe(v.string(), v.url()),
  token: v.string(),
  pid: v.number(),
  kubeconfig: v.string(),
  /** Absent: the file's current one. */
  context: v.exactOptional(v.string()),
});
export type Instance = v.InferOutput<typeof Instance>;

const INSTANCE_FILE = 'instance.json';

export const stateOption = (): Option =>
  new Option('--state <dir>', 'state folder (default: $FARLOOP_STATE, else ${XDG_STATE_HOME:-~/.local/state}/farloop)');

/** @param given as on the command line. @returns an absolute path. @throws UsageError */
export function stateFolderPath(given: string | undefined, environment: Record<string, string | undefined> = process.env): string {
  // An empty variable of a script must not lead to the folder of somebody's real work.
  if (given === '') throw new UsageError('--state is empty: expected the path of a folder');
  const path = resolve(given ?? (environment['FARLOOP_STATE'] || defaultFolder(environment)));
  if (/\p{Cc}/u.test(path)) throw new UsageError(`the path of the state folder holds control characters: ${JSON.stringify(path)}`);
  return path;
}

function defaultFolder({ XDG_STATE_HOME: base }: Record<string, string | undefined>): string {
  // The XDG specification has relative paths ignored: they would lead somewhere else from every folder.
  if (base && isAbsolute(base)) return join(base, 'farloop');
  const home = homeFolder();
  if (home === undefined) throw new UsageError('there is no home folder to keep the state in: name a folder with --state or FARLOOP_STATE');
  return join(home, '.local', 'state', 'farloop');
}

/** @returns undefined for users without one, as in many containers */
function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/** Readable by its owner alone: it carries the token. Appears whole, for other commands may be waiting for it. */
export function writeInstance(folder: string, instance: Instance): void {
  writePrivately(join(folder, INSTANCE_FILE), `${JSON.stringify(instance, null, 2)}\n`);
}

/** At the instance's end; an absent file stays absent. */
export function removeInstance(folder: string): void {
  rmSync(join(folder, INSTANCE_FILE), { force: true });
}

/**
 * @returns undefined when nothing is noted there, or nothing readable
 * @throws FailedError for what another user noted, which would be asked in this user's name, and for a note that cannot be looked at
 */
export function readInstance(folder: string): Instance | undefined {
  for (const path of [folder, join(folder, INSTANCE_FILE)])
    if (!isTrusted(path))
      throw new FailedError(`${path} is a link, or belongs to another user: name a state folder of your own with --state`);
  const text = noteIn(join(folder, INSTANCE_FILE));
  try {
    const parsed = v.safeParse(Instance, JSON.parse(text ?? ''));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined if absent. @throws FailedError where one may be, for an instance may be running */
function noteIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const why = code === 'EACCES' ? 'its owner alone may read it' : code;
    throw new FailedError(
      `${path} cannot be read (${why}): run this command as the user who runs Farloop, or name a folder of your own with --state`,
      {
        cause: error,
      },
    );
  }
}
