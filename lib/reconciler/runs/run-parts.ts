// Texts beside a run's record: its pods' manifests, and the ends of logs. A part is ASCII, so that a cut is never within a character.
import type { Pod } from '../../objects/kubernetes.ts';
import { MOST_PART_CHARACTERS, type Runs } from '../../ports/runs.ts';

const MANIFEST = 'manifest-';
const END = 'end';

/** By its digest: two callers with one id and different manifests do not mix. */
const nameOf = (hash: string, at: number | typeof END): string => `${MANIFEST}${hash}-${at}`;

const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Before the record. The last part says how many there are. */
export async function storeManifest(runs: Runs, id: string, hash: string, pods: readonly Pod[]): Promise<void> {
  const text = asciiOf(pods);
  let count = 0;
  for (let at = 0; at < text.length; at += MOST_PART_CHARACTERS) {
    await runs.putPart(id, nameOf(hash, count), text.slice(at, at + MOST_PART_CHARACTERS));
    count += 1;
  }
  await runs.putPart(id, nameOf(hash, END), String(count));
}

/** @returns undefined where they are not there: the run has finished */
export async function readManifest(runs: Runs, id: string, hash: string): Promise<Pod[] | undefined> {
  const count = await runs.readPart(id, nameOf(hash, END));
  if (count === undefined) return undefined;
  const parts: string[] = [];
  for (let at = 0; at < Number(count); at += 1) {
    const part = await runs.readPart(id, nameOf(hash, at));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return JSON.parse(parts.join(''));
}

/** Values of environments are in them, and a finished run needs none. */
export const removeManifests = async (runs: Runs, id: string): Promise<void> => await runs.removeParts(id, MANIFEST);

const LOG = 'log-';
const logName = (index: number): string => `${LOG}${index}`;

export const removeLogs = async (runs: Runs, id: string): Promise<void> => await runs.removeParts(id, LOG);

/** The last lines of each container, by its name. */
export type PodLogs = Readonly<Record<string, string>>;

export async function readLogs(runs: Runs, id: string, index: number): Promise<PodLogs | undefined> {
  const text = await runs.readPart(id, logName(index));
  return text === undefined ? undefined : JSON.parse(text);
}

/** The last characters count where they are too many for a part. */
export async function storeLogs(runs: Runs, id: string, index: number, logs: PodLogs): Promise<void> {
  const most = Math.floor(MOST_PART_CHARACTERS / Math.max(1, Object.keys(logs).length) / 8);
  const cut = Object.fromEntries(Object.entries(logs).map(([name, text]) => [name, text.slice(-most)]));
  await runs.putPart(id, logName(index), asciiOf(cut));
}
