// All objects, in memory and (given a file) on disk. One resourceVersion grows over all resources.
//
// A write is seen in memory at once and committed together with its neighbours; every answer waits for `settled()`, so no
// client learns of a change before it is on disk. Where a commit fails (a full disk), memory goes back to what the disk holds.
import { ChangeWindow } from './change-window.ts';
import type { ApiObject } from '../api-object.ts';
import { Version } from './version.ts';
import type { Change } from './version.ts';

/** Where committed objects go. `save` is all or nothing and throws when it could not. */
export interface Disk {
  load(each: (row: { resource: string; key: string; revision: number; text: string }) => void): { revision: number };
  save(changes: readonly Change[], revision: number): void;
  close(): void;
}

export interface StorageOptions {
  disk?: Disk;
  /** Changes kept per resource for watches and older lists. */
  windowEvents: number;
  /** Runs a function soon: what is written until then is committed together. */
  defer: (run: () => void) => void;
}

type Listener = (changes: readonly Change[]) => void;

export class Storage {
  readonly #disk: Disk | undefined;
  readonly #windowEvents: number;
  readonly #defer: (run: () => void) => void;
  readonly #objects = new Map<string, Map<string, Map<string, Version>>>();
  /** Keys in order, by resource and namespace (all: undefined), until one comes or goes. */
  readonly #orders = new Map<string, Map<string | undefined, string[]>>();
  readonly #windows = new Map<string, ChangeWindow>();
  readonly #listeners = new Set<Listener>();
  #revision = 1;
  #firstRevision = 1;
  #committed = 1;
  #batch: Change[] = [];
  #pending: PromiseWithResolvers<void> | undefined;

  constructor({ disk, windowEvents, defer }: StorageOptions) {
    this.#disk = disk;
    this.#windowEvents = windowEvents;
    this.#defer = defer;
    const loaded = disk?.load(({ resource, key, revision, text }) => {
      this.#set(resource, key, new Version(key, revision, { text }));
      this.#revision = Math.max(this.#revision, revision);
    });
    this.#revision = Math.max(this.#revision, loaded?.revision ?? 1);
    this.#firstRevision = this.#revision;
    this.#committed = this.#revision;
  }

  /** The newest resourceVersion given out. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest resourceVersion whose changes have all reached the watches. */
  get committed(): number {
    return this.#committed;
  }

  /** Watches and older lists of a resource reach back to this revision. */
  oldest(resource: string): number {
    return this.#windows.get(resource)?.oldest ?? this.#firstRevision;
  }

  get(resource: string, key: string): Version | undefined {
    return this.#objects.get(resource)?.get(namespaceIn(key))?.get(key);
  }

  /** Stores an object, new or changed, under the next revision (which is written into it). */
  put(resource: string, key: string, object: ApiObject): Version {
    const previous = this.get(resource, key);
    this.#revision += 1;
    object.metadata.resourceVersion = String(this.#revision);
    const current = new Version(key, this.#revision, { object });
    this.#set(resource, key, current);
    this.#note({ type: previous ? 'MODIFIED' : 'ADDED', resource, revision: this.#revision, current, ...(previous && { previous }) });
    return current;
  }

  /** Removes an object; gives its last state at the deletion's revision, undefined where there was none. */
  remove(resource: string, key: string): Version | undefined {
    const previous = this.get(resource, key);
    if (!previous) return undefined;
    this.#revision += 1;
    this.#unset(resource, key);
    const { object } = previous;
    const metadata = { ...object.metadata, resourceVersion: String(this.#revision) };
    const current = new Version(key, this.#revision, { object: { ...object, metadata } });
    this.#note({ type: 'DELETED', resource, revision: this.#revision, current, previous });
    return current;
  }

  /** Every object of a resource, or of one namespace of it, by namespace and name. */
  list(resource: string, namespace?: string): Version[] {
    const spaces = this.#objects.get(resource);
    if (!spaces) return [];
    const keys = this.#keysOf(resource, namespace, spaces);
    if (namespace !== undefined) {
      const space = spaces.get(namespace);
      return keys.flatMap((key) => space?.get(key) ?? []);
    }
    return keys.flatMap((key) => spaces.get(namespaceIn(key))?.get(key) ?? []);
  }

  /** The same as it was at a revision. @returns undefined when that is too long ago */
  listAt(resource: string, namespace: string | undefined, revision: number): Version[] | undefined {
    if (revision >= this.#revision) return this.list(resource, namespace);
    const window = this.#windows.get(resource);
    if (revision < this.oldest(resource)) return undefined;
    const now = this.list(resource, namespace);
    const differences = window?.differencesAt(revision);
    if (!differences || differences.size === 0) return now;
    const then = now.filter(({ key }) => !differences.has(key));
    for (const [key, version] of differences)
      if (version && (namespace === undefined || namespaceIn(key) === namespace)) then.push(version);
    return then.toSorted(byKey);
  }

  count(resource: string): number {
    return [...(this.#objects.get(resource)?.values() ?? [])].reduce((sum, each) => sum + each.size, 0);
  }

  /** Changes of a resource after a revision. @returns undefined when that is too long ago */
  since(resource: string, revision: number): Change[] | undefined {
    if (revision < this.oldest(resource)) return undefined;
    return this.#windows.get(resource)?.since(revision) ?? [];
  }

  /** Forgets all changes so far: watches from before answer 410, as after a compaction. */
  forgetChanges(): void {
    this.#firstRevision = this.#revision;
    for (const window of this.#windows.values()) window.forget(this.#revision);
  }

  /** Hears of every committed batch of changes, in order. @returns the way out */
  onCommit(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once all that was written so far is safe; rejects if it could not be saved. */
  settled(): Promise<void> {
    return this.#pending?.promise ?? Promise.resolve();
  }

  /** Commits what is written so far, now. */
  commit(): void {
    const pending = this.#pending;
    if (!pending) return;
    const changes = this.#batch;
    this.#batch = [];
    this.#pending = undefined;
    try {
      this.#disk?.save(changes, this.#revision);
    } catch (error) {
      this.#takeBack(changes);
      pending.reject(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#committed = this.#revision;
    for (const change of changes) this.#windowOf(change.resource).add(change);
    for (const listener of this.#listeners) listener(changes);
    for (const { previous } of changes) previous?.retire();
    pending.resolve();
  }

  /** Commits and closes. */
  close(): void {
    this.commit();
    this.#listeners.clear();
    this.#disk?.close();
  }

  #note(change: Change): void {
    this.#batch.push(change);
    if (this.#pending) return;
    this.#pending = Promise.withResolvers<void>();
    this.#pending.promise.catch(() => undefined); // a waiting caller gets the error; without one it must not crash the process
    this.#defer(() => this.commit());
  }

  #takeBack(changes: readonly Change[]): void {
    for (const { resource, current, previous } of changes.toReversed()) {
      if (previous) this.#set(resource, previous.key, previous);
      else this.#unset(resource, current.key);
    }
  }

  #windowOf(resource: string): ChangeWindow {
    let window = this.#windows.get(resource);
    if (!window) this.#windows.set(resource, (window = new ChangeWindow(this.#windowEvents, this.#firstRevision)));
    return window;
  }

  #keysOf(resource: string, namespace: string | undefined, spaces: ReadonlyMap<string, ReadonlyMap<string, Version>>): string[] {
    let orders = this.#orders.get(resource);
    if (!orders) this.#orders.set(resource, (orders = new Map()));
    let keys = orders.get(namespace);
    if (!keys) {
      const all =
        namespace === undefined ? [...spaces.values()].flatMap((each) => [...each.keys()]) : [...(spaces.get(namespace)?.keys() ?? [])];
      orders.set(namespace, (keys = all.toSorted()));
    }
    return keys;
  }

  #set(resource: string, key: string, version: Version): void {
    let spaces = this.#objects.get(resource);
    if (!spaces) this.#objects.set(resource, (spaces = new Map()));
    const namespace = namespaceIn(key);
    let space = spaces.get(namespace);
    if (!space) spaces.set(namespace, (space = new Map()));
    if (!space.has(key)) this.#orders.delete(resource);
    space.set(key, version);
  }

  #unset(resource: string, key: string): void {
    const spaces = this.#objects.get(resource);
    const namespace = namespaceIn(key);
    const space = spaces?.get(namespace);
    if (space?.delete(key)) this.#orders.delete(resource);
    if (space?.size === 0) spaces?.delete(namespace);
  }
}

const namespaceIn = (key: string): string => key.slice(0, key.indexOf('/'));

const byKey = (a: Version, b: Version): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
