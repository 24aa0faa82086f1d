// Virtual nodes as commands are told of them: the word of `--manage` that comes with them, and the tokens that their providers ask for.
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import {
  NODE_OPTIONS,
  problemOfNodeOptions,
  VIRTUAL_NODES,
  virtualNodesIn,
  type VirtualNodeSettings,
} from '../../kinds/virtual-pod/node-options.ts';
import { managesOf } from '../../kinds/settings.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Manages } from '../../objects/manages.ts';
import { collect } from './arguments.ts';
import { UsageError } from './exit.ts';

const FLAG = '--provider-token-file';

export const providerTokenOption = (): Option =>
  new Option(
    `${FLAG} <file>`,
    'bearer token that a provider reached by HTTP asks for, alone in a file; as name=file that of one virtual node; may be given several times',
  ).argParser(collect);

/** Paths by the node that they are for; under an empty name the one for all others. */
export type TokenFiles = ReadonlyMap<string, string>;

/**
 * Each is read once, so that a mistake shows at the start.
 * @throws UsageError
 */
export async function tokenFilesIn(given: readonly string[] = [], nodes: readonly VirtualNodeSettings[]): Promise<TokenFiles> {
  const files = new Map<string, string>();
  const names = nodes.filter(({ remote }) => remote).map(({ name }) => name);
  for (const text of given) {
    const [, name = '', path = text] = /^([a-z0-9][-a-z0-9.]*)=(.+)$/.exec(text) ?? [];
    if (name === '' ? names.length === 0 : !names.includes(name))
      throw new UsageError(
        `${FLAG} ${text}: ${name === '' ? 'no virtual node has' : `the virtual node ${name} has not got`} a provider that is reached by HTTP${names.length > 0 ? `; ${names.join(', ')} has` : ''}`,
      );
    if (files.has(name)) throw new UsageError(`${FLAG} is given twice${name === '' ? '' : ` for ${name}`}`);
    await tokenIn(path);
    files.set(name, path);
  }
  return files;
}

/** @throws UsageError */
export async function tokenIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${FLAG} ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`}`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${FLAG} ${path}: expected one token, without blanks, and nothing else`);
  return token;
}

/** The word comes with the flag, and goes without it: there is nothing that it could take. */
export const withVirtualNodes = (manages: Manages, hasVirtualNodes: boolean): Manages =>
  hasVirtualNodes ? managesOf([...manages, VIRTUAL_NODES.word]) : manages.filter((word) => word !== VIRTUAL_NODES.word);

/** The nodes that the options name. @throws UsageError they contradict each other, `--manage` or the namespaces */
export function nodesGiven(
  options: KindOptions,
  { manage, namespaces, option }: { manage: Manages | undefined; namespaces: readonly string[]; option: '--namespace' | '--namespaces' },
): VirtualNodeSettings[] {
  const problem = problemOfNodeOptions(options);
  if (problem !== undefined) throw new UsageError(problem);
  const nodes = virtualNodesIn(options);
  const flag = `--${NODE_OPTIONS.node}`;
  if (nodes.length === 0 && manage?.includes(VIRTUAL_NODES.word))
    throw new UsageError(
      `--manage ${VIRTUAL_NODES.word} needs ${flag} NAME=PROVIDER, such as edge=http:https://provider.example: without one there is no such node`,
    );
  if (nodes.length > 0 && namespaces.length > 0)
    throw new UsageError(`${flag} goes without ${option}: pods of every namespace may be bound to a node, and all of them take its room`);
  return nodes;
}
