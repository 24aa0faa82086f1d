// Names of pods: what /etc/hosts of a pod says. A server of names would be the cluster's, and knows nothing of addresses of this machine.
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '../../../../objects/kubernetes.ts';
import { listOf, textOf, textsOf } from '../../../../objects/values/untyped-fields.ts';

/** In a pod's folder. It is mounted in each of its containers. */
export const hostsOf = (folder: string): string => join(folder, 'hosts');

export interface NamedPod {
  pod: Pod;
  podIp: string;
}

export const hostnameOf = ({ spec, metadata }: Pod): string => spec.hostname ?? metadata.name ?? '';

/** Whether peers may look for it: others, by the thousand, need not stand in each pod's file. */
export const isLookedFor = ({ spec }: Pod): boolean =>
  textOf(spec['subdomain']) !== '' || spec.containers.some((container) => listOf(container['ports']).length > 0);

/** The part of a pod that names are made of: kept for each pod, so no more of it. */
export const ofNames = ({ metadata: { namespace = '', name = '' }, spec }: Pod): Pod => ({
  metadata: { namespace, name },
  spec: {
    ...(spec.hostname !== undefined && { hostname: spec.hostname }),
    ...(spec['subdomain'] !== undefined && { subdomain: spec['subdomain'] }),
    ...(spec['hostAliases'] !== undefined && { hostAliases: spec['hostAliases'] }),
    containers: spec.containers.map((container) => ({ name: container.name, ports: container['ports'] })),
  },
});

/** As peers of its namespace call it: by its own name, as services of training jobs do, and by its name below a headless service. */
function namesOf({ metadata: { name = '', namespace = '' }, spec }: Pod): string[] {
  const subdomain = textOf(spec['subdomain']);
  const first = [name, ...(subdomain === '' ? [] : [`${spec.hostname ?? name}.${subdomain}`])];
  return first.flatMap((each) => ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((end) => each + end));
}

/** The machine's own, the pod's, and those of its peers. */
export function hostsText({ pod, podIp }: NamedPod, peers: readonly NamedPod[]): string {
  const aliases = listOf(pod.spec['hostAliases']).map(({ ip, hostnames }) => [textOf(ip), ...textsOf(hostnames)]);
  const named = peers.filter((each) => each.podIp !== podIp && isLookedFor(each.pod)).map((each) => [each.podIp, ...namesOf(each.pod)]);
  const lines = [...aliases, [podIp, ...new Set([hostnameOf(pod), ...namesOf(pod)])], ...named];
  return [ownHosts(), ...lines.map((words) => words.join('\t')), ''].join('\n');
}

function ownHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8').trimEnd();
  } catch {
    return '127.0.0.1\tlocalhost';
  }
}

/** In place: a mount shows the file that it was made of, not one that took its name. */
export function writeHosts(folder: string, text: string): void {
  const file = openSync(hostsOf(folder), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    ftruncateSync(file, writeSync(file, text, 0));
  } finally {
    closeSync(file);
  }
}
