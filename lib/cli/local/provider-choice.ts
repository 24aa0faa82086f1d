// Who runs the pods of each virtual node of a local instance, and how it lets Farloop in.
import { virtualNodeNamed } from '../../kinds/virtual-pod/node-options.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { ProviderChoice } from '../../runtime.ts';
import { tokenIn, type TokenFiles } from '../terminal/virtual-nodes.ts';

/** A token that is exchanged counts from the next request on. */
export const providersBehind =
  (files: TokenFiles = new Map()) =>
  ({ options }: Pick<ClusterRecord, 'options'>, node: string): ProviderChoice | undefined => {
    const settings = virtualNodeNamed(options, node);
    if (!settings?.remote) return settings?.local;
    const path = files.get(node) ?? files.get('');
    return {
      ...settings.remote,
      auth:
        path === undefined
          ? { kind: 'none' }
          : { kind: 'dynamic', credentials: async () => ({ authorization: `Bearer ${await tokenIn(path)}` }) },
    };
  };
