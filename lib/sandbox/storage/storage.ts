// All objects, in memory and (given a file) on disk. Each resource counts its resourceVersions apart, each from another number:
// Kubernetes lets nobody compare those of two resources, and who does so learns it here.
//
// A write is seen in memory at once and committed together with its neighbours; every answer waits for `settled()`, so no
// client learns of a change before it is on disk. Where a commit fails (a full disk), memory goes back to what the disk holds.
import type { ApiObject } from '../objects/api-object.ts';
import { StoredResource } from './stored-resource.ts';
import { Version } from './version.ts';
import type { Change } from './version.ts';

/** The newest resourceVersion of each resource. */
export type Revisions = ReadonlyMap<string, number>;

/** Where committed objects go. `save` is all or nothing and throws when it could not. */
export interface Disk {
  /** @returns `floor` holds for resources without a version of their own, and may be 0 */
  load(each: (row: { resource: string; key: string; revision: number; text: string }) => void): { revisions: Revisions; floor: number };
  /** @param revisions of the resources that changed */
  save(changes: readonly Change[], revisions: Revisions): void;
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
  readonly #resources = new Map<string, StoredResource>();
  readonly #listeners = new Set<Listener>();
  readonly #floor: number;
  #batch: Change[] = [];
  #pending: PromiseWithResolvers<void> | undefined;

  constructor({ disk, windowEvents, defer }: StorageOptions) {
    this.#disk = disk;
    this.#windowEvents = windowEvents;
    this.#defer = defer;
    const rows: { resource: string; version: Version }[] = [];
    const loaded = disk?.load(({ resource, key, revision, text }) => {
      rows.push({ resource, version: new Version(key, revision, { text }) });
    });
    this.#floor = loaded?.floor ?? 0;
    for (const [resource, revision] of loaded?.revisions ?? []) this.#resources.set(resource, new StoredResource(revision, windowEvents));
    for (const { resource, version } of rows) this.#of(resource).set(version.key, version);
  }

  /** The newest resourceVersion of a resource that was given out. */
  revision(resource: string): number {
    return this.#of(resource).revision;
  }

  /** The newest resourceVersion of a resource whose changes have all reached the watches. */
  committed(resource: string): number {
    return this.#of(resource).committed;
  }

  /** The newest resourceVersion of every resource that anybody asked for. */
  revisions(): Revisions {
    return new Map([...this.#resources].map(([resource, { revision }]) => [resource, revision]));
  }

  /** Watches and older lists of a resource reach back to this revision. */
  oldest(resource: string): number {
    return this.#of(resource).oldest;
  }

  get(resource: string, key: string): Version | undefined {
    return this.#of(resource).get(key);
  }

  /** Stores an object, new or changed, under the next revision (which is written into it). */
  put(resource: string, key: string, object: ApiObject): Version {
    const own = this.#of(resource);
    const previous = own.get(key);
    const revision = own.next();
    object.metadata.resourceVersion = String(revision);
    const current = new Version(key, revision, { object });
    own.set(key, current);
    this.#note({ type: previous ? 'MODIFIED' : 'ADDED', resource, revision, current, ...(previous && { previous }) });
    return current;
  }

  /** Removes an object; gives its last state at the deletion's revision, undefined where there was none. */
  remove(resource: string, key: string): Version | undefined {
    const own = this.#of(resource);
    const previous = own.get(key);
    if (!previous) return undefined;
    const revision = own.next();
    own.unset(key);
    const { object } = previous;
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    const current = new Version(key, revision, { object: { ...object, metadata } });
    this.#note({ type: 'DELETED', resource, revision, current, previous });
    return current;
  }

  /** Every object of a resource, or of one namespace of it, by namespace and name. */
  list(resource: string, namespace?: string): Version[] {
    return this.#of(resource).list(namespace);
  }

  /** The same as it was at a revision. @returns undefined when that is too long ago */
  listAt(resource: string, namespace: string | undefined, revision: number): Version[] | undefined {
    return this.#of(resource).listAt(namespace, revision);
  }

  count(resource: string): number {
    return this.#of(resource).count;
  }

  /** Changes of a resource after a revision. @returns undefined when that is too long ago */
  since(resource: string, revision: number): Change[] | undefined {
    return this.#of(resource).since(revision);
  }

  /** Commits, and forgets all changes so far: watches from before answer 410, as after a compaction. */
  forgetChanges(): void {
    this.commit();
    for (const resource of this.#resources.values()) resource.forgetChanges();
    this.#disk?.save([], this.revisions());
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
      this.#disk?.save(changes, new Map(changes.map(({ resource }) => [resource, this.revision(resource)])));
    } catch (error) {
      this.#takeBack(changes);
      pending.reject(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    for (const change of changes) this.#of(change.resource).commit(change);
    for (const listener of this.#listeners) listener(changes);
    for (const { current, previous } of changes) {
      previous?.retire();
      current.rest();
    }
    pending.resolve();
  }

  /** Commits and closes. */
  close(): void {
    this.commit();
    this.#listeners.clear();
    this.#disk?.close();
  }

  #of(resource: string): StoredResource {
    let own = this.#resources.get(resource);
    if (!own)
      this.#resources.set(resource, (own = new StoredResource(Math.max(this.#floor, firstRevisionOf(resource)), this.#windowEvents)));
    return own;
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
      if (previous) this.#of(resource).set(previous.key, previous);
      else this.#of(resource).unset(current.key);
    }
  }
}

/**
 * Resources begin far apart, each a few versions below another power of ten: neither numbers nor texts of two of them are in order by chance,
 * and soon versions of one resource differ in length, so that who compares them as texts is found out.
 */
function firstRevisionOf(resource: string): number {
  const sum = Buffer.from(resource).reduce((so, byte) => (so * 37 + byte) % 1_000_003, 0);
  return 10 ** (1 + (sum % 6)) - (2 + (Math.floor(sum / 6) % 8));
}
