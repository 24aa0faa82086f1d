// The node's own objects: its Node, kept Ready, and its Lease, renewed as a kubelet does.
import { setTimeout as sleep } from 'node:timers/promises';
import { timeOf } from './container-states.ts';
import type { NodeClient, NodeRequest } from './node-client.ts';
import type { NodeIdentity } from './pod-step.ts';
import type { Problems } from './problems.ts';
import { RefusedError } from './problems.ts';
import { LEASES, NODE_LEASES, nodeLeaseSpec } from '../objects/placement/lease.ts';
import type { NodeResources } from '../objects/placement/room.ts';
import { pathOf } from '../objects/resources.ts';

const renewEveryMs = 10_000;
const retryAfterMs = 500;
/** A node that changes nothing reports all the same, once in so many renewals. */
const renewalsPerReport = 6;

export interface Registration extends NodeIdentity {
  resources: NodeResources;
  nowMs: () => number;
  problems: Problems;
}

/** Registers the node and makes it Ready; tries until it succeeds or `signal` is aborted. */
export async function register(client: NodeClient, node: Registration, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await reportNode(client, node);
      await renewLease(client, node);
      node.problems.worked('register the Node', '');
      return;
    } catch (error) {
      if (signal.aborted) return;
      node.problems.failed('register the Node', '', error);
      await pause(retryAfterMs, signal);
    }
  }
}

/** Renews until `signal` is aborted. A Node that somebody deleted is made again. Never throws. */
export async function keepRegistered(client: NodeClient, node: Registration, signal: AbortSignal): Promise<void> {
  for (let renewals = 1; !signal.aborted; renewals += 1) {
    await pause(renewEveryMs, signal);
    if (signal.aborted) return;
    try {
      await renewLease(client, node);
      if (renewals % renewalsPerReport === 0) await reportNode(client, node);
      node.problems.worked('renew the Lease of the Node', '');
    } catch (error) {
      if (signal.aborted) return;
      node.problems.failed('renew the Lease of the Node', '', error);
    }
  }
}

async function reportNode(client: NodeClient, node: Registration): Promise<void> {
  const path = `/api/v1/nodes/${node.nodeName}`;
  const report: NodeRequest = {
    method: 'PATCH',
    path: `${path}/status`,
    contentType: 'application/strategic-merge-patch+json',
    body: { status: statusOf(node) },
  };
  const { status, body: answer } = await client.request(report);
  if (status === 200) return;
  if (status !== 404) throw new RefusedError(`PATCH ${path}/status`, status, answer);
  const created = await client.request({
    method: 'POST',
    path: '/api/v1/nodes',
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name: node.nodeName, labels: node.labels } },
  });
  if (created.status !== 201 && created.status !== 409) throw new RefusedError('POST /api/v1/nodes', created.status, created.body);
  const again = await client.request(report);
  if (again.status !== 200) throw new RefusedError(`PATCH ${path}/status`, again.status, again.body);
}

function statusOf({ nodeName, hostIp, resources, nowMs }: Registration): unknown {
  const now = timeOf(nowMs());
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address: hostIp },
      { type: 'Hostname', address: nodeName },
    ],
    conditions: [
      condition('Ready', 'True', 'KubeletReady', 'the simulated node is posting ready status'),
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'the simulated node has sufficient memory'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'the simulated node has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'the simulated node has sufficient PID available'),
    ],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: 'simulated',
      kernelVersion: 'simulated',
      containerRuntimeVersion: 'simulated://1',
      kubeletVersion: 'v1.36.3-simulated',
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  };
}

async function renewLease(client: NodeClient, { nodeName, nowMs }: Registration): Promise<void> {
  const folder = pathOf(LEASES, { namespace: NODE_LEASES });
  const spec = nodeLeaseSpec(nodeName, nowMs());
  const { status, body: answer } = await client.request({
    method: 'PATCH',
    path: `${folder}/${nodeName}`,
    contentType: 'application/merge-patch+json',
    body: { spec },
  });
  if (status === 200) return;
  if (status !== 404) throw new RefusedError(`PATCH ${folder}/${nodeName}`, status, answer);
  const created = await client.request({
    method: 'POST',
    path: folder,
    body: { apiVersion: LEASES.apiVersion, kind: LEASES.kind, metadata: { name: nodeName }, spec },
  });
  if (created.status !== 201 && created.status !== 409) throw new RefusedError(`POST ${folder}`, created.status, created.body);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
