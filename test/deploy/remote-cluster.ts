// A cluster that knows nothing of AWS: an API server with a simulated node, a relay beside it, and Jobs to run on it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterAccess } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import type { Job, Node, Pod } from '../../lib/objects/kubernetes.ts';
import type { Lease } from '../../lib/objects/placement/lease.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { FarloopProcess } from '../cli/farloop-process.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import type { Door } from './loopback-door.ts';
import { openDoor } from './loopback-door.ts';
import { openNodeClient } from '../node-client.ts';

export interface RemoteCluster {
  name: string;
  /** Where functions reach it. */
  server: string;
  /** A name in its certificate. */
  tlsServerName: string;
  caPem: string;
  /** Of its administrator, as the kubeconfig has it. */
  token: string;
  kubeconfigPath: string;
  /** As its administrator. */
  access: ClusterAccess;
  createJob: (name: string, spec: { completions: number; parallelism: number; runSeconds: number }) => Promise<void>;
  deleteJob: (name: string) => Promise<void>;
  job: (name: string) => Promise<Job>;
  podsOf: (name: string) => Promise<Pod[]>;
  /** Of nothing but itself, on a node that it names. */
  createPod: (name: string, spec: { nodeName: string; command: string[] }) => Promise<void>;
  pod: (name: string) => Promise<Pod | undefined>;
  deletePod: (name: string) => Promise<void>;
  /** As its API server gives it. */
  log: (pod: string) => Promise<{ status: number; text: string }>;
  node: (name: string) => Promise<Node | undefined>;
  nodeLease: (name: string) => Promise<Lease | undefined>;
  startRelay: (args: readonly string[], environment: Record<string, string>) => Promise<void>;
  stopRelay: () => Promise<void>;
  stop: () => Promise<void>;
}

/** The embedded API server. */
export async function sandboxCluster(folder: string, name = 'sandbox'): Promise<RemoteCluster> {
  const { url, caPem, token, kubeconfig, stop } = await startSandbox();
  return await remoteCluster(name, folder, { tlsServerName: 'localhost', url, caPem, token, kubeconfig, stop });
}

/** A real kube-apiserver with every controller but that of Jobs. */
export async function realCluster(folder: string, apiServerFlags: readonly string[]): Promise<RemoteCluster> {
  const controlPlane = await startControlPlane({ controllers: '*,-job', apiServerFlags });
  const { url, caPem, token, kubeconfigPath, stop } = controlPlane;
  return await remoteCluster('real', folder, { tlsServerName: 'kubernetes.default.svc', url, caPem, token, kubeconfigPath, stop });
}

interface ApiServer {
  tlsServerName: string;
  url: string;
  caPem: string;
  token: string;
  kubeconfig?: string;
  kubeconfigPath?: string;
  stop: () => Promise<void>;
}

async function remoteCluster(name: string, folder: string, apiServer: ApiServer): Promise<RemoteCluster> {
  const { url, caPem, token } = apiServer;
  const kubeconfigPath = apiServer.kubeconfigPath ?? join(folder, `${name}.kubeconfig`);
  if (apiServer.kubeconfig !== undefined) writeFileSync(kubeconfigPath, apiServer.kubeconfig, { mode: 0o600 });
  const client = openNodeClient({ url, caPem, token });
  const node = startSimulatedNode({ client });
  const door: Door = await openDoor(url);
  await node.ready;
  let relay: FarloopProcess | undefined;

  const ask = async <Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Body> => {
    const answer = await client.request({ method, path, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} on ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  };
  const found = async <Body>(path: string): Promise<Body | undefined> => {
    const answer = await client.request({ method: 'GET', path });
    if (answer.status === 404) return undefined;
    if (answer.status >= 300) throw new Error(`GET ${path} on ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  };
  const stopRelay = async (): Promise<void> => {
    if (!relay) return;
    await relay.end('SIGTERM');
    relay = undefined;
  };

  return {
    name,
    server: door.url,
    tlsServerName: apiServer.tlsServerName,
    caPem,
    token,
    kubeconfigPath,
    access: { server: url, caPem, auth: { kind: 'token', token } },
    createJob: async (job, { completions, parallelism, runSeconds }) => {
      await ask('POST', '/apis/batch/v1/namespaces/default/jobs', {
        metadata: { name: job },
        spec: {
          managedBy: 'farloop.dev/job',
          completionMode: 'Indexed',
          completions,
          parallelism,
          template: {
            metadata: { annotations: { 'sim.farloop.dev/run-seconds': String(runSeconds) } },
            spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] },
          },
        },
      });
    },
    deleteJob: async (job) => {
      await ask('DELETE', `/apis/batch/v1/namespaces/default/jobs/${job}?propagationPolicy=Background`);
    },
    job: async (job) => await ask<Job>('GET', `/apis/batch/v1/namespaces/default/jobs/${job}`),
    podsOf: async (job) =>
      (await ask<{ items: Pod[] }>('GET', `/api/v1/namespaces/default/pods?labelSelector=${encodeURIComponent(`job-name=${job}`)}`)).items,
    createPod: async (pod, { nodeName, command }) => {
      await ask('POST', '/api/v1/namespaces/default/pods', {
        metadata: { name: pod },
        spec: {
          nodeName,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 5,
          automountServiceAccountToken: false,
          containers: [{ name: 'work', image: 'none', command }],
        },
      });
    },
    pod: async (pod) => await found<Pod>(`/api/v1/namespaces/default/pods/${pod}`),
    log: async (pod) => {
      const clock = new SystemClock();
      const cluster = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
      try {
        const wanted = { container: 'work', limitBytes: 10_000 };
        return { status: 200, text: (await cluster.log({ namespace: 'default', name: pod }, wanted, deadlineIn(clock, 30_000))).text };
      } catch (error) {
        return { status: 500, text: String(error) };
      } finally {
        cluster.close();
      }
    },
    deletePod: async (pod) => {
      await ask('DELETE', `/api/v1/namespaces/default/pods/${pod}`);
    },
    node: async (named) => await found<Node>(`/api/v1/nodes/${named}`),
    nodeLease: async (named) => await found<Lease>(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${named}`),
    startRelay: async (args, environment) => {
      relay = new FarloopProcess(args, { environment });
      await relay.says(`relay of ${name} ready\n`, 120_000);
    },
    stopRelay,
    stop: async () => {
      await relay?.destroy();
      await node.stop();
      client.close();
      await door.close();
      await apiServer.stop();
    },
  };
}
