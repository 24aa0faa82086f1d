// Writes down a pod that is to be run: its folder with its order, its volumes, its names, its first record.
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ResolvedPod } from '../../../objects/environment/sources.ts';
import type { Container } from '../../../objects/kubernetes.ts';
import { NotDoneError } from '../../../ports/errors.ts';
import { hostsText, writeHosts, type NamedPod } from './folder/names.ts';
import { homeOf, writeRecord, type Order } from './folder/records.ts';
import { writeVolumes } from './folder/volumes.ts';
import { commandOf } from './pod-limits.ts';
import { partsOf, statusOf } from './shim/pod-status.ts';

const SHARE = 'share';

export interface OrderOptions {
  /** Words of a command by image. */
  images: ReadonlyMap<string, readonly string[]>;
  /** A folder of the user that the pod finds in its home. */
  share: string | undefined;
}

/** The order of a pod, with the commands of its containers and what they find of the user's folder. */
export function orderOf(resolved: ResolvedPod, given: Omit<Order, 'pod'>, { images, share }: OrderOptions): Order {
  const { volumeContents: _volumes, sources: _sources, status: _status, ...pod } = resolved;
  const commanded = (container: Container): Container => ({
    ...container,
    ...(!given.engine && { command: commandOf(container, images), args: [] }),
    env: [...(share === undefined ? [] : [{ name: 'FARLOOP_SHARE', value: resolve(share) }]), ...(container.env ?? [])],
  });
  const { containers, initContainers } = pod.spec;
  return {
    ...given,
    pod: {
      ...pod,
      spec: {
        ...pod.spec,
        containers: containers.map(commanded),
        ...(initContainers && { initContainers: initContainers.map(commanded) }),
      },
    },
  };
}

/** Whole or not at all: a folder that is there was ordered. @throws NotDoneError */
export function makePodFolder(
  folder: string,
  order: Order,
  { resolved, peers, share }: { resolved: ResolvedPod; peers: readonly NamedPod[]; share: string | undefined },
): void {
  const { pod, podIp, orderedAtMs, engine } = order;
  const beside = `${folder}.new`;
  try {
    rmSync(beside, { recursive: true, force: true });
    mkdirSync(homeOf(beside), { recursive: true, mode: 0o700 });
    if (share !== undefined) symlinkSync(resolve(share), join(homeOf(beside), SHARE));
    writeVolumes(beside, resolved);
    writeHosts(beside, hostsText(order, peers));
    writeRecord(beside, 'order', order);
    const status = statusOf({ pod, podIp, orderedAtMs, parts: partsOf(pod, engine?.word), hasEnded: false }, undefined, orderedAtMs);
    writeRecord(beside, 'record', { version: 1, hasEnded: false, status, runs: {} });
    renameSync(beside, folder);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    throw new NotDoneError(code === 'ENOSPC' ? `the disk of ${folder} is full` : `the pod's folder cannot be made: ${message}`, {
      cause: error,
    });
  }
}
