// Who runs the pods of each virtual node of a local instance, and how it lets Farloop in.
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { virtualNodeNamed, type VirtualNodeSettings } from '../../kinds/virtual-pod/node-options.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { ProviderChoice } from '../../runtime.ts';
import { collect } from '../terminal/arguments.ts';
import { UsageError } from '../terminal/exit.ts';

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
  const names = nodes.filter(({ address }) => address !== undefined).map(({ name }) => name);
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
async function tokenIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${FLAG} ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`}`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${FLAG} ${path}: expected one token, without blanks, and nothing else`);
  return token;
}

/** A token that is exchanged counts from the next request on. */
export const providersBehind =
  (files: TokenFiles = new Map()) =>
  ({ options }: Pick<ClusterRecord, 'options'>, node: string): ProviderChoice | undefined => {
    const settings = virtualNodeNamed(options, node);
    if (settings?.address === undefined) return settings && { kind: 'simulated' };
    const path = files.get(node) ?? files.get('');
    return {
      kind: 'http',
      address: settings.address,
      auth:
        path === undefined
          ? { kind: 'none' }
          : { kind: 'dynamic', credentials: async () => ({ authorization: `Bearer ${await tokenIn(path)}` }) },
    };
  };
