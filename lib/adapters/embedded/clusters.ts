// The registered clusters as a JSON file in the state folder, beside the store and not in it: a dropped store keeps them (R1).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { writePrivately } from '../../files/private-files.ts';
import { jsonIn } from '../../objects/values/untyped-fields.ts';
import type { ClusterRecord, Clusters } from '../../ports/clusters.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { fromStored, StoredManages, toStored } from '../cluster-record/managed-kinds.ts';
import { optionsFromStored, optionsToStored, StoredOptions } from '../cluster-record/kind-options.ts';
import { FullDiskError, isFullDisk, messageOf, systemCodeOf } from './sqlite-file.ts';

export const CLUSTERS_FILE = 'clusters.json';

const FORMAT = 1;

const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));

const RecordSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^[!-.0-~]{1,128}$/, 'expected a name of 1 to 128 letters, digits and punctuation, without slashes')),
  era: wholeNumber,
  kubeSystemUid: v.exactOptional(v.string()),
  ...StoredManages.entries,
  namespaces: v.array(v.string()),
  senders: v.array(v.string()),
  budget: v.object({ writesPerSecond: v.pipe(v.number(), v.gtValue(0)), burst: v.pipe(v.number(), v.minValue(1)) }),
  draining: v.exactOptional(v.literal(true)),
  leaving: v.exactOptional(v.literal(true)),
  actions: v.exactOptional(v.literal(true)),
  access: v.exactOptional(v.picklist(['direct', 'relayed'])),
  ...StoredOptions.entries,
  version: v.pipe(wholeNumber, v.minValue(1)),
});

const FileSchema = v.object({ format: v.literal(FORMAT), clusters: v.array(RecordSchema) });

/** Written by the one instance that holds the state folder's lock; others only read. */
export class EmbeddedClusters implements Clusters {
  readonly #path: string | undefined;
  /** In memory, when there is no folder. */
  #records: ClusterRecord[] = [];

  private constructor(path: string | undefined) {
    this.#path = path;
  }

  /**
   * @param options.folder the state folder; in memory when absent
   * @throws one sentence that names the file and its first fault, when it holds no records
   */
  static open({ folder }: { folder?: string } = {}): EmbeddedClusters {
    const clusters = new EmbeddedClusters(folder === undefined ? undefined : join(folder, CLUSTERS_FILE));
    clusters.#read();
    return clusters;
  }

  async get(name: string): Promise<ClusterRecord | undefined> {
    return this.#read().find((record) => record.name === name);
  }

  async list(): Promise<ClusterRecord[]> {
    return this.#read();
  }

  async put(record: Omit<ClusterRecord, 'version'>, expectedVersion: number): Promise<ClusterRecord> {
    const records = this.#read();
    const current = records.find(({ name }) => name === record.name);
    if ((current?.version ?? 0) !== expectedVersion)
      throw new StaleWriteError<ClusterRecord>(
        `the record of cluster ${record.name}: expected version ${expectedVersion}, found ${current?.version ?? 'none'}`,
        current,
      );
    const parsed = v.safeParse(RecordSchema, { ...toStored(optionsToStored(record)), version: expectedVersion + 1 });
    if (!parsed.success) throw new RangeError(`the record of cluster ${record.name}: ${faultOf(parsed.issues)}`);
    const written = fromStored(optionsFromStored(parsed.output));
    const others = records.filter(({ name }) => name !== record.name);
    this.#write([...others, written].toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    return written;
  }

  #read(): ClusterRecord[] {
    if (this.#path === undefined) return structuredClone(this.#records);
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      throw new Error(`cannot read the clusters in ${this.#path}: ${messageOf(error)}`, { cause: error });
    }
    const parsed = v.safeParse(FileSchema, jsonIn(text));
    if (parsed.success) return parsed.output.clusters.map((stored) => fromStored(optionsFromStored(stored)));
    throw new Error(
      `the clusters in ${this.#path} cannot be read: ${faultOf(parsed.issues)}; mend the file, or remove it and add them again`,
    );
  }

  /** The whole file at once: written beside, then put in the place of the old one. */
  #write(clusters: ClusterRecord[]): void {
    if (this.#path === undefined) {
      this.#records = structuredClone(clusters);
      return;
    }
    try {
      writePrivately(
        this.#path,
        `${JSON.stringify({ format: FORMAT, clusters: clusters.map((record) => toStored(optionsToStored(record))) }, undefined, 2)}\n`,
      );
    } catch (error) {
      throw isFullDisk(error)
        ? new FullDiskError(this.#path, { cause: error })
        : new Error(`cannot write the clusters to ${this.#path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

const faultOf = (issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string => {
  const path = v.getDotPath(issues[0]);
  return `${path === null ? '' : `${path}: `}${issues[0].message}`;
};
