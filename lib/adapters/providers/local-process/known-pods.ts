// Pods that this machine has or had, each in a folder of its own: found again after a restart, kept a day after their end.
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pod } from '../../../objects/kubernetes.ts';
import { requestTextsOf } from '../../../objects/pods/pod-requests.ts';
import type { Task, TaskName } from '../../../objects/task.ts';
import { NotFoundError } from '../../../ports/errors.ts';
import { Addresses } from './addresses.ts';
import { hostsText, isLookedFor, ofNames, writeHosts, type NamedPod } from './folder/names.ts';
import { readRecord, type Order, type PodRecord } from './folder/records.ts';

/** A pod that has ended is kept for so long, unless it is forgotten before. */
const ENDED_KEPT_MS = 24 * 3_600_000;

export interface KnownPod {
  node: string;
  folder: string;
  name: TaskName;
  pod: Pick<Task, 'namespace' | 'name'>;
  /** For the files of names. */
  named: NamedPod;
  requests: NonNullable<Task['requests']>;
  podIp: string;
}

export const recordOf = (folder: string): PodRecord => readRecord(folder, 'record') ?? { version: 0, hasEnded: true, status: {}, runs: {} };

export function taskOf({ folder, name, pod, requests }: KnownPod): Task {
  const { version, hasEnded, status } = recordOf(folder);
  return { ...name, ...pod, version, hasEnded, status, requests };
}

/** Of all pods of a provider. @param folder that it was opened with */
export const processesIn = (folder: string): string => join(resolve(folder), 'processes');

export function folderOfPod(processes: string, node: string, { uid, attempt }: TaskName): string {
  // A uid is the API server's word, and still no path.
  const safe = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(uid) ? uid : createHash('sha256').update(uid).digest('hex');
  return join(processes, node, `${safe}-${attempt}`);
}

export class KnownPods {
  readonly #folder: string;
  readonly #addresses: Addresses;
  /** Of pods that are about to be started. */
  readonly #reserved = new Map<string, string>();
  readonly #known = new Map<string, KnownPod>();

  /** Finds those of an earlier process. @param folder of all pods, a folder a node below it; it is there */
  constructor(folder: string) {
    this.#folder = folder;
    this.#addresses = new Addresses(folder);
    for (const node of readdirSync(folder, { withFileTypes: true }))
      if (node.isDirectory() && !node.name.startsWith('_')) this.#findOf(node.name);
  }

  #findOf(node: string): void {
    for (const name of readdirSync(join(this.#folder, node))) {
      const folder = join(this.#folder, node, name);
      const isBegun = name.endsWith('.new');
      const order = isBegun ? undefined : readRecord(folder, 'order');
      if (isBegun) rmSync(folder, { recursive: true, force: true });
      if (!order) continue;
      this.add(folder, node, order);
      this.#addresses.keep(order.podIp);
    }
  }

  folderOf(node: string, name: TaskName): string {
    return folderOfPod(this.#folder, node, name);
  }

  at(folder: string): KnownPod | undefined {
    return this.#known.get(folder);
  }

  /** @throws NotFoundError */
  get(node: string, name: TaskName): KnownPod {
    const known = this.#known.get(this.folderOf(node, name));
    if (!known) throw new NotFoundError('pod not found');
    return known;
  }

  all(): KnownPod[] {
    return [...this.#known.values()];
  }

  alive(): KnownPod[] {
    return this.all().filter(({ folder }) => !recordOf(folder).hasEnded);
  }

  add(folder: string, node: string, { uid, attempt, pod, podIp }: Order): void {
    this.#reserved.delete(folder);
    const { namespace = '', name = '' } = pod.metadata;
    this.#known.set(folder, {
      node,
      folder,
      name: { uid, attempt },
      pod: { namespace, name },
      named: { pod: ofNames(pod), podIp },
      requests: requestTextsOf(pod),
      podIp,
    });
  }

  /** Its folder too. */
  remove(folder: string): void {
    this.hasEnded(folder);
    this.#known.delete(folder);
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // It is found again at the next start, and goes then.
    }
  }

  /** Folders of those that ended long ago. */
  old(): string[] {
    const beforeMs = Date.now() - ENDED_KEPT_MS;
    const folders = this.all().map(({ folder }) => folder);
    return folders.filter((folder) => {
      const { hasEnded, status } = recordOf(folder);
      const ended = (status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
      return hasEnded && !ended.some((ms) => ms >= beforeMs || Number.isNaN(ms));
    });
  }

  /** It has it before it is started: variables of the pod may name it. */
  addressOf(folder: string): string {
    const address = this.#known.get(folder)?.podIp ?? this.#reserved.get(folder) ?? this.#addresses.take();
    if (!this.#known.has(folder)) this.#reserved.set(folder, address);
    return address;
  }

  /** Its address is free again. */
  hasEnded(folder: string): void {
    const known = this.#known.get(folder);
    if (known) this.#addresses.release(known.podIp);
  }

  /** It was not made, and its address is free again. */
  wasNotMade(folder: string): void {
    const address = this.#reserved.get(folder);
    if (address !== undefined) this.#addresses.release(address);
    this.#reserved.delete(folder);
  }

  /** Pods of its namespace that run and that others may look for. */
  peersOf({ metadata: { namespace } }: Pod): NamedPod[] {
    // Their records are files: those of pods that nobody looks for are not read.
    const named = this.all().filter((each) => each.pod.namespace === namespace && isLookedFor(each.named.pod));
    return named.filter(({ folder }) => !recordOf(folder).hasEnded).map((each) => each.named);
  }

  /** Writes a pod's name for those that run already. */
  nameToPeers({ pod: { metadata } }: Order): void {
    const peers = this.alive().filter(({ pod: { namespace } }) => namespace === metadata.namespace);
    const named = peers.map((each) => each.named);
    for (const peer of peers)
      try {
        if (peer.name.uid !== metadata.uid) writeHosts(peer.folder, hostsText(peer.named, named));
      } catch {
        // A full disk: the peer is not found by that pod.
      }
  }
}
