// Providers of virtual nodes on a cluster that is registered on AWS: functions reach them, so not each is taken.
import type { TokensByNode } from '../../adapters/credentials/provider-tokens.ts';
import type { VirtualNodeSettings } from '../../kinds/virtual-pod/node-options.ts';
import { UsageError } from '../terminal/exit.ts';
import { tokenFilesIn, tokenIn } from '../terminal/virtual-nodes.ts';

/**
 * @returns undefined: none are given, and those of an earlier registration stay
 * @throws UsageError a provider that no function reaches, or a token that cannot be read
 */
export async function providerTokensOf(
  nodes: readonly VirtualNodeSettings[],
  given: readonly string[] | undefined,
): Promise<TokensByNode | undefined> {
  const near = nodes.find(({ local }) => local);
  if (near)
    throw new UsageError(
      `--virtual-node ${near.name}=${near.provider}: farloop up alone ${near.local === 'simulated' ? 'plays tasks in its own process' : 'runs pods as processes of its machine'}; here a provider is http: or interlink: and an https address`,
    );
  const files = await tokenFilesIn(given, nodes);
  if (files.size === 0) return undefined;
  const tokens: [string, string][] = [];
  for (const [node, path] of files) tokens.push([node, await tokenIn(path)]);
  return Object.fromEntries(tokens);
}

/** As functions refuse them, before anything is made. @throws UsageError */
export async function refuseProviders(nodes: readonly VirtualNodeSettings[], installation: { allowLoopback: boolean }): Promise<void> {
  const { problemOfDistantProvider } = await import('../../adapters/cluster-record/registered-access.ts');
  for (const { name, provider, remote } of nodes) {
    const problem = remote && problemOfDistantProvider(remote.address, installation);
    if (problem !== undefined) throw new UsageError(`--virtual-node ${name}=${provider}:${remote?.address}: ${problem}`);
  }
}
