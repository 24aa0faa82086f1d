// kubectl's own sessions, on the sandbox and on a real API server.
import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { kubectlContract } from '../contracts/kubectl.ts';
import type { KubectlTarget } from '../contracts/kubectl.ts';
import { kubectlComparison } from '../contracts/kubectl/compare.ts';
import { openKubectl } from '../contracts/kubectl/script.ts';
import { controlPlanePaths } from './build-control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { openNodeClient } from '../node-client.ts';

async function kubectlPath(): Promise<string> {
  const paths = await controlPlanePaths(['kubectl']);
  return paths.get('kubectl') ?? 'kubectl';
}

const openSandbox = async (): Promise<KubectlTarget> => {
  const { url, caPem, token, kubeconfig, stop } = await startSandbox();
  return { url, caPem, token, kubeconfig, close: stop };
};
const openControlPlane = async (): Promise<KubectlTarget> => {
  const { url, caPem, token, kubeconfigPath, stop } = await startControlPlane({ controllers: '*,-job' });
  return { url, caPem, token, kubeconfig: await readFile(kubeconfigPath, 'utf8'), close: stop };
};

describe('kubectl logs on the sandbox: no kubelet stands behind the other one', () => {
  test('shows what a container wrote, all of it or the end, also while it runs, of one pod, of several and of a run before', async () => {
    const target = await openSandbox();
    const client = openNodeClient(target);
    const node = startSimulatedNode({ client });
    const kubectl = await openKubectl(await kubectlPath(), target.kubeconfig);
    const logs = async (args: string) => await kubectl.run({ args: `logs ${args}` }, 'default');
    try {
      const annotations = (more: string): string => `{sim.farloop.dev/log: "one\\ntwo", ${more}}`;
      const pod = (name: string, more: string, restartPolicy = 'Never'): string =>
        `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, labels: {app: a}, annotations: ${annotations(more)}}, ` +
        `spec: {restartPolicy: ${restartPolicy}, containers: [{name: main, image: busybox}]}}`;
      const files = [
        `${pod('ended', 'sim.farloop.dev/run-seconds: "0"')}\n---\n${pod('again', 'sim.farloop.dev/run-seconds: "0", sim.farloop.dev/exit-codes: "1,0"', 'OnFailure')}\n---\n` +
          pod('runs', 'sim.farloop.dev/run-seconds: "3"'),
      ];
      await kubectl.run({ args: 'apply -f {0}', files }, 'default');
      await kubectl.run({ args: 'wait --for=jsonpath={.status.phase}=Succeeded pod/ended pod/again --timeout=20s' }, 'default');
      await kubectl.run({ args: 'wait --for=condition=Ready pod/runs --timeout=20s' }, 'default');
      const said = (out: string) => ({ code: 0, out, err: '' });
      expect(await logs('-f runs')).toMatchObject(said('one\ntwo\n'));
      expect(await logs('ended')).toMatchObject(said('one\ntwo\n'));
      expect(await logs('ended -c main --tail=1')).toMatchObject(said('two\n'));
      expect(await logs('ended --timestamps --limit-bytes=20')).toMatchObject(said('<time>'));
      expect(await logs('again --previous')).toMatchObject(said('one\ntwo\n'));
      expect((await logs('-l app=a --prefix --tail=1')).out.split('\n').toSorted()).toEqual([
        '',
        '[pod/again/main] two',
        '[pod/ended/main] two',
        '[pod/runs/main] two',
      ]);
      expect(await logs('ended --previous')).toMatchObject({
        code: 1,
        err: expect.stringContaining('previous terminated container "main" in pod "ended" not found'),
      });
      expect(await logs('ended -c other')).toMatchObject({
        code: 1,
        err: expect.stringContaining('container other is not valid for pod ended'),
      });
    } finally {
      await kubectl.close();
      await node.stop();
      client.close();
      await target.close();
    }
  }, 120_000);
});

kubectlContract('the sandbox', kubectlPath, openSandbox);
kubectlContract('kube-apiserver 1.36.3', kubectlPath, openControlPlane);
kubectlComparison(kubectlPath, openControlPlane, openSandbox);
