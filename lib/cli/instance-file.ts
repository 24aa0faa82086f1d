// Where a local instance keeps its state, and the note by which the other commands find it there while it runs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import * as v from 'valibot';

const Instance = v.object({
  /** Of the HTTP API; loopback. */
  url: v.pipe(v.string(), v.url()),
  token: v.string(),
  pid: v.number(),
  kubeconfig: v.string(),
});
export type Instance = v.InferOutput<typeof Instance>;

const INSTANCE_FILE = 'instance.json';

export const stateOption = (): Option => new Option('--state <dir>', 'state folder (default: $FARLOOP_STATE, else ~/.local/state/farloop)');

/** @param given as on the command line. @returns an absolute path */
export function stateFolderPath(given: string | undefined, environment: Record<string, string | undefined> = process.env): string {
  const named = given ?? environment['FARLOOP_STATE'];
  if (named) return resolve(named);
  const base = environment['XDG_STATE_HOME'];
  return join(base ? resolve(base) : join(homedir(), '.local', 'state'), 'farloop');
}

/** Readable by its owner alone: it carries the token. */
export function writeInstance(folder: string, instance: Instance): void {
  // A file left by a killed instance may have other rights: it goes first.
  rmSync(join(folder, INSTANCE_FILE), { force: true });
  writeFileSync(join(folder, INSTANCE_FILE), `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
}

export function removeInstance(folder: string): void {
  rmSync(join(folder, INSTANCE_FILE), { force: true });
}

/** @returns undefined when nothing is noted there, or nothing readable */
export function readInstance(folder: string): Instance | undefined {
  try {
    const parsed = v.safeParse(Instance, JSON.parse(readFileSync(join(folder, INSTANCE_FILE), 'utf8')));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
