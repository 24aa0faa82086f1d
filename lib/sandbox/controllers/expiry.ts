// Objects that do not stay for ever: Events go an hour after their last write.
import type { ApiObject } from '../objects/api-object.ts';
import { storageName } from '../rows/resources.ts';
import type { Cluster } from '../verbs/writing.ts';

const sweepIntervalMs = 60_000;

/** Looks every minute as long as there is something that will expire. @returns the way to stop it */
export function expireObjects({ storage, surroundings, resources }: Cluster): () => void {
  const mortal = resources
    .stored()
    .flatMap((row) => (row.lifetimeMs === undefined ? [] : [{ name: storageName(row), lifetimeMs: row.lifetimeMs }]));
  let callOff: (() => void) | undefined;
  const sweep = (): void => {
    callOff = undefined;
    for (const { name, lifetimeMs } of mortal) {
      const before = surroundings.now() - lifetimeMs;
      for (const { key, object } of storage.list(name)) if (lastWriteMs(object) < before) storage.remove(name, key);
    }
    schedule();
  };
  const schedule = (): void => {
    if (callOff || mortal.every(({ name }) => storage.count(name) === 0)) return;
    callOff = surroundings.after(sweepIntervalMs, sweep);
  };
  const leave = storage.onCommit((changes) => {
    if (!callOff && changes.some(({ resource }) => mortal.some(({ name }) => name === resource))) schedule();
  });
  schedule();
  return () => {
    leave();
    callOff?.();
  };
}

function lastWriteMs({ metadata }: ApiObject): number {
  const times = (metadata.managedFields ?? []).map(({ time }) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time));
  return Math.max(Date.parse(metadata.creationTimestamp ?? '') || 0, ...times);
}
