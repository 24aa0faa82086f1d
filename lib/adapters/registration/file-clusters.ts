// Clusters of an installation on AWS: registered by a file that is deployed with the functions. What the loop learns of them (era,
// identity) is kept as a note beside their views; when the table is dropped, it is learnt again.
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { readManages } from '../../objects/manages.ts';
import type { ClusterRecord, Clusters } from '../../ports/clusters.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Note, Store } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { MOST_NAMESPACES } from '../../wire/words/names.ts';
import type { ClusterAccess } from '../kubernetes/kubernetes-cluster.ts';
import { StoredManages } from '../cluster-record/managed-kinds.ts';
import { StoredOptions } from '../cluster-record/kind-options.ts';
import { ClusterName, Credential, serverFields } from '../cluster-record/registered-access.ts';

const text = v.pipe(v.string(), v.minLength(1));

const Entry = v.object({
  name: ClusterName,
  manage: v.optional(StoredManages.entries.manage, 'own'),
  manages: StoredManages.entries.manages,
  options: StoredOptions.entries.options,
  namespaces: v.optional(
    v.pipe(
      v.array(text),
      v.maxLength(MOST_NAMESPACES, `more than ${MOST_NAMESPACES}, the most that are watched one by one: leave it out for all`),
    ),
    [],
  ),
  senders: v.pipe(v.array(text), v.minLength(1, 'at least one SQS SenderId')),
  budget: v.optional(v.object({ writesPerSecond: v.pipe(v.number(), v.minValue(1)), burst: v.pipe(v.number(), v.minValue(1)) }), {
    writesPerSecond: 100,
    burst: 200,
  }),
  access: v.union([v.literal('relayed'), v.object({ ...serverFields(false), auth: Credential })]),
});
type Entry = v.InferOutput<typeof Entry>;

const ClustersFile = v.object({ clusters: v.array(Entry) });
const Learnt = v.object({ era: v.number(), kubeSystemUid: v.exactOptional(v.string()) });

const NOTE = 'record';

export class FileClusters implements Clusters {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #store: Pick<Store, 'readNote' | 'putNote'>;

  private constructor(entries: ReadonlyMap<string, Entry>, store: Pick<Store, 'readNote' | 'putNote'>) {
    this.#entries = entries;
    this.#store = store;
  }

  /** @throws Error naming the file and every mistake in it */
  static async open(file: string, store: Pick<Store, 'readNote' | 'putNote'>): Promise<FileClusters> {
    const content = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new Error(`${file}: the clusters cannot be read`, { cause });
    });
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ClustersFile), content);
    if (!parsed.success) {
      const mistakes = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'file'}: ${issue.message}`);
      throw new Error(`${file}: the clusters are not usable: ${mistakes.join('; ')}`);
    }
    const entries = new Map(parsed.output.clusters.map((entry) => [entry.name, entry]));
    if (entries.size < parsed.output.clusters.length) throw new Error(`${file}: two clusters have the same name`);
    return new FileClusters(entries, store);
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** @throws TerminalError for one that is not registered */
  accessOf(name: string): ClusterAccess {
    const entry = this.#entries.get(name);
    if (!entry) throw new TerminalError(`there is no access for the cluster ${name}: register it`);
    if (entry.access === 'relayed') throw new TerminalError(`the cluster ${name} is reached through its relay alone`);
    return entry.access;
  }

  async get(name: string): Promise<ClusterRecord | undefined> {
    const entry = this.#entries.get(name);
    return entry && recordOf(entry, await this.#store.readNote(name, NOTE));
  }

  async list(): Promise<ClusterRecord[]> {
    return await Promise.all(
      [...this.#entries.values()].map(async (entry) => recordOf(entry, await this.#store.readNote(entry.name, NOTE))),
    );
  }

  /** Keeps era and identity; everything else is the file's. */
  async put(record: Omit<ClusterRecord, 'version'>, expectedVersion: number): Promise<ClusterRecord> {
    const entry = this.#entries.get(record.name);
    if (!entry) throw new TerminalError(`the cluster ${record.name} is not in the clusters' file: add it there`);
    const { era, kubeSystemUid } = record;
    const body = JSON.stringify({ era, ...(kubeSystemUid !== undefined && { kubeSystemUid }) });
    try {
      const version = await this.#store.putNote(record.name, NOTE, body, expectedVersion - 1);
      return recordOf(entry, { version, body });
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      const current = await this.get(record.name);
      throw new StaleWriteError<ClusterRecord>(
        `the cluster ${record.name} is at version ${current?.version}, not ${expectedVersion}`,
        current,
      );
    }
  }
}

/** Versions count from 1, for what the file says is there before anything was learnt. */
function recordOf({ name, manage, manages, namespaces, senders, budget, access }: Entry, note: Note | undefined): ClusterRecord {
  const learnt = note && v.safeParse(v.pipe(v.string(), v.parseJson(), Learnt), note.body);
  const known = learnt?.success ? learnt.output : { era: 0 };
  const how = access === 'relayed' ? { access } : {};
  return {
    name,
    manages: readManages({ manage, manages }),
    namespaces,
    senders,
    budget,
    ...how,
    ...known,
    version: (note?.version ?? 0) + 1,
  };
}
