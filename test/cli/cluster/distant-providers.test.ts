// Providers that work with `farloop up` alone, where a cluster is registered.
import { expect, test } from '@jest/globals';
import { providerTokensOf } from '../../../lib/cli/cluster/distant-providers.ts';
import { virtualNodesIn } from '../../../lib/kinds/virtual-pod/node-options.ts';
import { failureOf } from '../../claims.ts';

test.each([
  ['simulated', 'farloop up alone plays tasks in its own process'],
  ['local-process', 'farloop up alone runs pods as processes of its machine'],
])('%s is refused in one sentence', async (provider, text) => {
  const nodes = virtualNodesIn({ 'virtual-node': `edge=http:https://a.example here=${provider}` });
  expect(String(await failureOf(providerTokensOf(nodes, undefined)))).toContain(
    `--virtual-node here=${provider}: ${text}; here a provider is http: or interlink: and an https address`,
  );
});
