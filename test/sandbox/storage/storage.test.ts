// Versions, the window of changes, and what becomes of writes that could not be saved.
import { describe, expect, test } from '@jest/globals';
import { Storage } from '../../../lib/sandbox/storage/storage.ts';
import type { Disk, Revisions } from '../../../lib/sandbox/storage/storage.ts';

const nothing = { revisions: new Map<string, number>(), floor: 0 };
const open = (windowEvents = 100, disk?: Disk): Storage => new Storage({ windowEvents, defer: queueMicrotask, ...(disk && { disk }) });
const put = (storage: Storage, key: string, value: string): number =>
  storage.put('things', key, { metadata: { name: key }, value }).revision;
const shown = (versions: readonly { key: string; object: { [field: string]: unknown } }[] | undefined): string[] | undefined =>
  versions?.map(({ key, object }) => `${key}=${String(object['value'])}`);

describe('storage', () => {
  test('each resource counts its versions apart, and writes them into its objects', () => {
    const storage = open();
    const first = put(storage, 'a/x', '1');
    const other = storage.put('others', '/y', { metadata: { name: 'y' } });
    expect(other.revision).not.toBe(first + 1);
    expect(put(storage, 'a/x', '2')).toBe(first + 1);
    expect(other.object.metadata.resourceVersion).toBe(String(other.revision));
    expect(storage.revision('others')).toBe(other.revision);
  });

  test('forgotten changes leave a version behind that nobody has had, also after a restart', async () => {
    let saved: Revisions = new Map();
    const save = (_changes: unknown, revisions: Revisions): void => {
      saved = revisions;
    };
    const storage = open(100, { load: () => nothing, save, close: () => undefined });
    const first = put(storage, 'a/1', '1');
    storage.forgetChanges();
    expect(storage.since('things', first)).toBeUndefined();
    expect(storage.since('things', storage.revision('things'))).toEqual([]);
    const again = open(100, { load: () => ({ revisions: saved, floor: 0 }), save, close: () => undefined });
    expect(put(again, 'a/1', '2')).toBe(first + 2);
    await again.settled();
  });

  test('versions of a folder whose resources counted together go on above all of them', () => {
    const storage = open(100, { load: () => ({ revisions: new Map(), floor: 5_000_000 }), save: () => undefined, close: () => undefined });
    expect(put(storage, 'a/1', '1')).toBe(5_000_001);
  });

  test('a list of an earlier version shows what was then, deletions and changes undone', async () => {
    const storage = open();
    put(storage, 'a/1', 'old');
    const then = put(storage, 'a/2', 'kept');
    put(storage, 'a/1', 'new');
    storage.remove('things', 'a/2');
    put(storage, 'a/3', 'late');
    put(storage, 'b/1', 'elsewhere');
    await storage.settled();
    expect(shown(storage.listAt('things', 'a', then))).toEqual(['a/1=old', 'a/2=kept']);
    expect(shown(storage.list('things', 'a'))).toEqual(['a/1=new', 'a/3=late']);
    expect(shown(storage.list('things'))).toEqual(['a/1=new', 'a/3=late', 'b/1=elsewhere']);
  });

  test('large states leave the window before small ones: their memory is bounded, too', async () => {
    const save = (changes: readonly { current: { text: string } }[]): void => void changes.map(({ current }) => current.text);
    const storage = open(100, { load: () => nothing, save, close: () => undefined });
    const first = put(storage, 'a/1', '1');
    for (let at = 0; at < 40; at++) {
      put(storage, 'a/1', 'x'.repeat(1_000_000));
      await storage.settled();
    }
    const last = storage.revision('things');
    expect(storage.since('things', first)).toBeUndefined();
    expect(storage.since('things', last - 20)).toHaveLength(20);
    expect(storage.since('things', last - 25)).toBeUndefined();
  });

  test('what has left the window is too old, per resource', async () => {
    const storage = open(2);
    const first = put(storage, 'a/1', '1');
    const quiet = storage.revision('quiet');
    storage.put('quiet', '/q', { metadata: { name: 'q' } });
    for (const value of ['2', '3', '4']) put(storage, 'a/1', value);
    await storage.settled();
    expect(storage.since('things', first)).toBeUndefined();
    expect(storage.listAt('things', 'a', first)).toBeUndefined();
    expect(storage.since('quiet', quiet)).toHaveLength(1);
    expect(storage.since('things', storage.oldest('things'))).toHaveLength(2);
  });

  test('changes are told once they are saved, together and in order', async () => {
    const saved: number[] = [];
    const storage = open(100, { load: () => nothing, save: (changes) => saved.push(changes.length), close: () => undefined });
    const told: string[] = [];
    storage.onCommit((changes) => told.push(changes.map(({ type, current }) => `${type} ${current.key}`).join()));
    put(storage, 'a/1', '1');
    put(storage, 'a/1', '2');
    storage.remove('things', 'a/1');
    expect(told).toEqual([]);
    await storage.settled();
    expect(saved).toEqual([3]);
    expect(told).toEqual(['ADDED a/1,MODIFIED a/1,DELETED a/1']);
  });

  test('what could not be saved did not happen', async () => {
    let isFull = false;
    const save = (): void => {
      if (isFull) throw new Error('disk full');
    };
    const storage = open(100, { load: () => nothing, save, close: () => undefined });
    const told: string[] = [];
    storage.onCommit((changes) => told.push(...changes.map(({ current }) => current.key)));
    put(storage, 'a/1', 'saved');
    put(storage, 'a/2', 'saved');
    await storage.settled();
    isFull = true;
    put(storage, 'a/1', 'lost');
    put(storage, 'a/1', 'lost again');
    put(storage, 'a/3', 'lost');
    storage.remove('things', 'a/2');
    await expect(storage.settled()).rejects.toThrow('disk full');
    expect(shown(storage.list('things'))).toEqual(['a/1=saved', 'a/2=saved']);
    expect(told).toEqual(['a/1', 'a/2']);
    isFull = false;
    put(storage, 'a/3', 'room again');
    await storage.settled();
    expect(storage.get('things', 'a/3')?.object['value']).toBe('room again');
  });
});
