// How pods run as processes of this machine, as `farloop up` is told of it.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { NODE_OPTIONS, type VirtualNodeSettings } from '../../kinds/virtual-pod/node-options.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import type { ProcessSettings } from '../../runtime.ts';
import { collect } from '../terminal/arguments.ts';
import { UsageError } from '../terminal/exit.ts';

export interface ProcessFlags {
  share?: string;
  image?: Map<string, readonly string[]>;
  allowNamespace?: string[];
}

const PROVIDER = 'local-process';
/** Whether its pods run on this machine. */
export const isOnMachine = ({ local }: VirtualNodeSettings): boolean => local !== undefined && local !== 'simulated';

export const shareOption = (): Option =>
  new Option(
    '--share <folder>',
    `a folder of yours that all pods of a ${PROVIDER} node may read and write: $FARLOOP_SHARE, and share in their home`,
  );

export const imageOption = (): Option =>
  new Option(
    '--image <name=command>',
    `what a ${PROVIDER} node runs for containers of this image that give no command, as in python:3=python3 -u; may be given several times`,
  ).argParser(imageCommand);

export const allowNamespaceOption = (): Option =>
  new Option(
    '--allow-namespace <name>',
    `run pods of this namespace on a ${PROVIDER} node, and reject those of others; compulsory with --kubeconfig; may be given several times`,
  ).argParser(namespace);

/** @returns undefined where no node runs processes. @throws UsageError */
export function processSettingsOf(
  { share, image, allowNamespace }: ProcessFlags,
  { nodes, isSandbox }: { nodes: readonly VirtualNodeSettings[]; isSandbox: boolean },
): ProcessSettings | undefined {
  const node = nodes.find(isOnMachine);
  if (!node) {
    const flag = share === undefined ? (image ? '--image' : allowNamespace && '--allow-namespace') : '--share';
    if (flag !== undefined)
      throw new UsageError(
        `${flag} needs --${NODE_OPTIONS.node} NAME=${PROVIDER}, podman or docker: it is about pods that run on this machine`,
      );
    return undefined;
  }
  if (process.platform !== 'linux')
    throw new UsageError(
      `--${NODE_OPTIONS.node} ${node.name}=${node.provider}: pods run on this machine on Linux alone, and this is ${process.platform}; simulated and http: work here`,
    );
  if (!isSandbox && allowNamespace === undefined)
    throw new UsageError(
      `--${NODE_OPTIONS.node} ${node.name}=${node.provider} with --kubeconfig needs --allow-namespace NAMESPACE: everybody who may create pods there runs programs on this machine, as you`,
    );
  if (share !== undefined && statSync(share, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--share ${share}: expected a folder that is there`);
  return {
    ways: new Set(nodes.filter(isOnMachine).map(({ local }) => (local === 'podman' || local === 'docker' ? local : 'processes'))),
    ...(share !== undefined && { share: resolve(share) }),
    ...(image && { images: image }),
    ...(allowNamespace && { allowedNamespaces: new Set(allowNamespace) }),
  };
}

/** Its words stand between blanks. */
function imageCommand(text: string, before: ReadonlyMap<string, readonly string[]> = new Map()): Map<string, readonly string[]> {
  const at = text.indexOf('=');
  const words = text
    .slice(at + 1)
    .split(' ')
    .filter((word) => word !== '');
  if (at < 1 || words.length === 0) throw new InvalidArgumentError('Expected the name of an image and a command, as in busybox=sh.');
  return new Map([...before, [text.slice(0, at), words]]);
}

function namespace(text: string, before?: readonly string[]): string[] {
  if (problemsOfDnsLabel(text).length > 0)
    throw new InvalidArgumentError('Expected the name of a namespace: lower case letters, digits and dashes.');
  return collect(text, before);
}
