// kubectl's own sessions, on the sandbox and on a real API server.
import { readFile } from 'node:fs/promises';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { kubectlContract } from '../contracts/kubectl.ts';
import type { KubectlTarget } from '../contracts/kubectl.ts';
import { kubectlComparison } from '../contracts/kubectl/compare.ts';
import { controlPlanePaths } from './build-control-plane.ts';
import { startControlPlane } from './control-plane.ts';

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

kubectlContract('the sandbox', kubectlPath, openSandbox);
kubectlContract('kube-apiserver 1.36.3', kubectlPath, openControlPlane);
kubectlComparison(kubectlPath, openControlPlane, openSandbox);
