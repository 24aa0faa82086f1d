// A real API server with a simulated node, reached through a proxy that can do anything to a connection; beside it, whoever looks on.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import type { ControlPlane, ControlPlaneOptions } from '../cluster/control-plane.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { CreationWitness } from './etcd.ts';
import { HostileProxy } from './proxy.ts';
import { openNodeClient } from '../node-client.ts';

export interface HostileCluster {
  /** For what Farloop keeps; it goes at the end. */
  folder: string;
  plane: ControlPlane;
  proxy: HostileProxy;
  witness: CreationWitness;
  /** Not through the proxy. */
  direct: KubernetesCluster;
  /** Through the proxy. */
  kubeconfig: string;
}

/** @param endings what is to be done at the end, last first; also where the start fails halfway */
export async function openHostileCluster(
  { name, clock, random, ...options }: { name: string; clock: Clock; random: () => number } & ControlPlaneOptions,
  endings: (() => Promise<void> | void)[],
): Promise<HostileCluster> {
  const folder = await mkdtemp(join(tmpdir(), `farloop-${name}-`));
  endings.push(async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const plane = await startControlPlane(options);
  endings.push(async () => await plane.stop());
  const { url, caPem, token } = plane;
  const proxy = await HostileProxy.start({ to: url, random });
  endings.push(async () => await proxy.stop());
  const witness = await CreationWitness.start(plane.etcdUrl);
  endings.push(() => witness.stop());

  const nodeClient = openNodeClient({ url, caPem, token });
  const node = startSimulatedNode({ client: nodeClient });
  endings.push(async () => {
    await node.stop();
    nodeClient.close();
  });
  await node.ready;
  const direct = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  endings.push(() => direct.close());

  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, (await readFile(plane.kubeconfigPath, 'utf8')).replace(url, proxy.url), { mode: 0o600 });
  return { folder, plane, proxy, witness, direct, kubeconfig };
}
