// The objects of one resource, in memory: by namespace and name, in order, with their latest changes and a resourceVersion of their own.
import { ChangeWindow } from './change-window.ts';
import type { Change, Version } from './version.ts';

export class StoredResource {
  readonly #objects = new Map<string, Map<string, Version>>();
  /** Keys in order, by namespace (all: undefined), until one comes or goes. */
  readonly #orders = new Map<string | undefined, string[]>();
  readonly #window: ChangeWindow;
  #revision: number;
  #committed: number;

  /** @param revision the newest resourceVersion given out so far @param windowEvents changes kept */
  constructor(revision: number, windowEvents: number) {
    this.#revision = revision;
    this.#committed = revision;
    this.#window = new ChangeWindow(windowEvents, revision);
  }

  /** The newest resourceVersion given out. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest resourceVersion whose changes have all reached the watches. */
  get committed(): number {
    return this.#committed;
  }

  /** Watches and older lists reach back to this revision. */
  get oldest(): number {
    return this.#window.oldest;
  }

  get count(): number {
    return [...this.#objects.values()].reduce((sum, each) => sum + each.size, 0);
  }

  /** A resourceVersion that nobody has had. */
  next(): number {
    this.#revision += 1;
    return this.#revision;
  }

  get(key: string): Version | undefined {
    return this.#objects.get(namespaceIn(key))?.get(key);
  }

  set(key: string, version: Version): void {
    const namespace = namespaceIn(key);
    let space = this.#objects.get(namespace);
    if (!space) this.#objects.set(namespace, (space = new Map()));
    if (!space.has(key)) this.#orders.clear();
    space.set(key, version);
  }

  unset(key: string): void {
    const namespace = namespaceIn(key);
    const space = this.#objects.get(namespace);
    if (space?.delete(key)) this.#orders.clear();
    if (space?.size === 0) this.#objects.delete(namespace);
  }

  /** Every object, or those of one namespace, by namespace and name. */
  list(namespace?: string): Version[] {
    return this.#keysOf(namespace).flatMap((key) => this.get(key) ?? []);
  }

  /** The same as it was at a revision. @returns undefined when that is too long ago */
  listAt(namespace: string | undefined, revision: number): Version[] | undefined {
    if (revision >= this.#revision) return this.list(namespace);
    if (revision < this.oldest) return undefined;
    const now = this.list(namespace);
    const differences = this.#window.differencesAt(revision);
    if (differences.size === 0) return now;
    const then = now.filter(({ key }) => !differences.has(key));
    for (const [key, version] of differences)
      if (version && (namespace === undefined || namespaceIn(key) === namespace)) then.push(version);
    return then.toSorted(byKey);
  }

  /** Changes after a revision. @returns undefined when that is too long ago */
  since(revision: number): Change[] | undefined {
    return revision < this.oldest ? undefined : this.#window.since(revision);
  }

  /** Keeps a change that is safe now; what is written so far is so, too. */
  commit(change: Change): void {
    this.#window.add(change);
    this.#committed = this.#revision;
  }

  /** Forgets all changes so far, under a version that nobody has had: watches from before answer 410. */
  forgetChanges(): void {
    this.#committed = this.next();
    this.#window.forget(this.#revision);
  }

  #keysOf(namespace: string | undefined): string[] {
    let keys = this.#orders.get(namespace);
    if (!keys) {
      const all =
        namespace === undefined
          ? [...this.#objects.values()].flatMap((each) => [...each.keys()])
          : [...(this.#objects.get(namespace)?.keys() ?? [])];
      this.#orders.set(namespace, (keys = all.toSorted()));
    }
    return keys;
  }
}

const namespaceIn = (key: string): string => key.slice(0, key.indexOf('/'));

const byKey = (a: Version, b: Version): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
