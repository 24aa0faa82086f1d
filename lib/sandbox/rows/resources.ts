// The resources of a server, each one row: those that it brings (built-in-rows.ts), and those that are added while it runs.
import type { ResourceRow } from './resource-row.ts';

const pathOf = ({ group, version, plural }: Pick<ResourceRow, 'group' | 'version' | 'plural'>): string => `${group}/${version}/${plural}`;

const kindOf = ({ group, kind }: Pick<ResourceRow, 'group' | 'kind'>): string => `${group}/${kind}`;

/** A row that came or went. */
export type RowChange = { added: ResourceRow } | { removed: ResourceRow };

/** The rows that one server serves. Requests find a change from the next one on. */
export class Resources {
  readonly #builtIn: readonly ResourceRow[];
  #rows: readonly ResourceRow[];
  readonly #byPath = new Map<string, ResourceRow>();
  readonly #byKind = new Map<string, ResourceRow>();
  readonly #byStorage = new Map<string, readonly ResourceRow[]>();
  readonly #listeners = new Set<(change: RowChange) => void>();

  /** @param more rows besides the built-in ones @throws Error as `add` does */
  constructor(builtIn: readonly ResourceRow[], more: readonly ResourceRow[] = []) {
    this.#builtIn = builtIn;
    this.#rows = builtIn;
    this.#index();
    for (const row of more) this.add(row);
  }

  /** In the order of discovery. Every change makes another array, so that what is made of the rows can be kept with it. */
  get rows(): readonly ResourceRow[] {
    return this.#rows;
  }

  /** Whether a group is one that the server itself brings. */
  hasBuiltIns(group: string): boolean {
    return this.#builtIn.some((row) => row.group === group);
  }

  at(group: string, version: string, plural: string): ResourceRow | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }));
  }

  /** The row of a kind, whatever its version: owner references name objects so. */
  ofKind(apiVersion: string, kind: string): ResourceRow | undefined {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return this.#byKind.get(kindOf({ group, kind }));
  }

  /** Rows with objects of their own. */
  stored(): ResourceRow[] {
    return this.#rows.filter(isStored);
  }

  storedAs(name: string): ResourceRow | undefined {
    return this.#byStorage.get(name)?.find(isStored);
  }

  /** All rows that show the objects of a row, itself among them. */
  sharing(row: ResourceRow): readonly ResourceRow[] {
    return this.#byStorage.get(storageName(row)) ?? [row];
  }

  /** @throws Error where its path or its kind is taken in the same version: a mistake of the caller */
  add(row: ResourceRow): void {
    this.replace([], [row]);
  }

  /** Takes a row away: its watches end. Its objects stay where they are. */
  remove(row: ResourceRow): void {
    this.replace([row], []);
  }

  /**
   * Takes rows away and serves others in one step: objects that some row showed before and some row shows after stay, watches of rows that
   * are no more end.
   * @throws Error where the path or the kind of a new row is taken in the same version: a mistake of the caller
   */
  replace(before: readonly ResourceRow[], after: readonly ResourceRow[]): void {
    const gone = before.filter((row) => this.#rows.includes(row) && !after.includes(row));
    const fresh = after.filter((row) => !this.#rows.includes(row));
    if (gone.length + fresh.length === 0) return;
    const rows = this.#rows.filter((row) => !gone.includes(row));
    for (const row of fresh) {
      const taken = rows.find((each) => apiVersionOf(each) === apiVersionOf(row) && (each.plural === row.plural || each.kind === row.kind));
      if (taken)
        throw new Error(`${row.plural} (${row.kind}) in ${apiVersionOf(row)}: ${taken.plural} (${taken.kind}) is served there already`);
      rows.push(row);
    }
    this.#rows = rows;
    this.#index();
    for (const removed of gone) this.#tell({ removed });
    for (const added of fresh) this.#tell({ added });
  }

  /** Listeners are called in the order in which they came. @returns the way out */
  onChange(listener: (change: RowChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(change: RowChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #index(): void {
    for (const index of [this.#byPath, this.#byKind, this.#byStorage]) index.clear();
    for (const row of this.#rows) {
      this.#byPath.set(pathOf(row), row);
      if (!this.#byKind.has(kindOf(row))) this.#byKind.set(kindOf(row), row);
      this.#byStorage.set(storageName(row), [...(this.#byStorage.get(storageName(row)) ?? []), row]);
    }
  }
}

const isStored = ({ stored, answer, isMeasured }: ResourceRow): boolean => !stored && !answer && !isMeasured;

/** The name under which a row's objects are stored. */
export const storageName = (row: ResourceRow): string => {
  const { group, plural } = row.stored?.as ?? row;
  return group ? `${plural}.${group}` : plural;
};

export const apiVersionOf = ({ group, version }: { group: string; version: string }): string => (group ? `${group}/${version}` : version);
