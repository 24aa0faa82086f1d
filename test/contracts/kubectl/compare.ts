// The same scripts on two servers: what kubectl says is the same, whichever answers. A description of one server alone would only
// say what somebody thought of; here the other server is the description.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSimulatedNode } from '../../../lib/simulated-node/simulated-node.ts';
import { freshName } from '../api-server/objects.ts';
import type { KubectlTarget } from '../kubectl.ts';
import { openKubectl } from './script.ts';
import type { Command, Kubectl, Said } from './script.ts';
import { scripts } from './scripts.ts';
import { openNodeClient } from '../../node-client.ts';

interface Side {
  kubectl: Kubectl;
  close: () => Promise<void>;
}

async function opened(file: string, open: () => Promise<KubectlTarget>): Promise<Side> {
  const target = await open();
  const client = openNodeClient(target);
  const node = startSimulatedNode({ client });
  await node.ready;
  const kubectl = await openKubectl(file, target.kubeconfig);
  return {
    kubectl,
    close: async () => {
      await kubectl.close();
      await node.stop();
      client.close();
      await target.close();
    },
  };
}

/**
 * @param kubectlPath asked once, when the tests begin
 * @param judge, judged start clusters without a Job controller and without nodes; the judge is right
 */
export function kubectlComparison(
  kubectlPath: () => Promise<string>,
  judge: () => Promise<KubectlTarget>,
  judged: () => Promise<KubectlTarget>,
): void {
  describe('kubectl says the same on both servers', () => {
    let sides: Side[] = [];
    beforeAll(async () => {
      const file = await kubectlPath();
      sides = [await opened(file, judge), await opened(file, judged)];
    }, 300_000);
    afterAll(async () => {
      for (const side of sides) await side.close();
    }, 60_000);

    const onBoth = (command: Command, namespace: string): Promise<Said[]> =>
      Promise.all(sides.map(({ kubectl }) => kubectl.run(command, namespace)));

    test.each(scripts)(
      '$name',
      async ({ commands }) => {
        const namespace = freshName('kubectl');
        await onBoth({ args: `create namespace ${namespace}` }, 'default');
        const said: Said[][] = [[], []];
        for (const command of commands) {
          for (const [index, each] of (await onBoth(command, namespace)).entries()) said[index]?.push(each);
        }
        await onBoth({ args: `delete namespace ${namespace} --wait=false` }, 'default');
        expect(said[1]).toEqual(said[0]);
      },
      120_000,
    );
  });
}
