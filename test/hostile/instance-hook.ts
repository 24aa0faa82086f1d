// Preloaded into `farloop up` (node --import): measures how long the process's event loop is held, and does over IPC what no API offers, odd
// messages in queues and damaged views in the table. The product knows nothing of it.
import type { WorkloadSummary } from '../../lib/api/told-workload.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { QueueName } from '../../lib/ports/queue.ts';

/** By name, what an order is given and what it answers. */
export interface Orders {
  /** The longest time that something held the loop since the last such order, milliseconds. */
  held: [Record<string, never>, number];
  send: [{ queue: QueueName; body: string; groupId: string }, void];
  damage: [{ key: WorkloadKey; view: string; state: string }, void];
  cluster: [Record<string, never>, { name: string; kubeSystemUid: string }];
  /** Each workload has been described. */
  workloads: [Record<string, never>, { name: string; state: string }[]];
  /** Pods of a workload that are known. */
  pods: [{ name: string }, number];
}

const TICK_MS = 5;

let heldMs = 0;
let before = process.threadCpuUsage();
/** Time of this thread's processor between two turns of the loop: what other processes take on a busy machine is not in it. */
function measure(): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  heldMs = Math.max(heldMs, (user + system) / 1_000);
}
setInterval(measure, TICK_MS).unref();

const portsOf = async () => (await (await import('../../lib/runtime.ts')).runtime()).ports;

async function listed(): Promise<WorkloadSummary[]> {
  const { listWorkloads } = await import('../../lib/api/workloads.ts');
  return (await listWorkloads(await portsOf(), {}, { limit: 1_000 })).items;
}

const obey: { [name in keyof Orders]: (given: Orders[name][0]) => Promise<Orders[name][1]> } = {
  held: async () => {
    const most = heldMs;
    heldMs = 0;
    return most;
  },
  send: async ({ queue, body, groupId }) => {
    await (await portsOf()).queue.send(queue, [{ body, groupId, ...(queue === 'wakes' && { deduplicationId: groupId }) }]);
  },
  damage: async ({ key, view, state }) => {
    const { createHead } = await import('../../lib/reconciler/head/heads.ts');
    const ports = await portsOf();
    const record = await ports.clusters.get(key.cluster);
    if (!record) throw new Error(`the cluster ${key.cluster} is not registered`);
    await createHead(ports, key, record);
    await ports.store.updateHead(key, {}, { view: Buffer.from(view, 'base64'), state });
  },
  cluster: async () => {
    const [record] = await (await portsOf()).clusters.list();
    if (!record) throw new Error('no cluster is registered');
    return { name: record.name, kubeSystemUid: record.kubeSystemUid ?? '' };
  },
  workloads: async () => {
    const { describeWorkloads } = await import('../../lib/api/workloads.ts');
    const items = await listed();
    for (const { cluster, kind, namespace, name } of items) await describeWorkloads(await portsOf(), { cluster, kind, namespace, name });
    return items.map(({ name, state }) => ({ name, state }));
  },
  pods: async ({ name }) => {
    const { describeWorkloads } = await import('../../lib/api/workloads.ts');
    const found = (await listed()).find((item) => item.name === name);
    if (!found) return 0;
    const { cluster, kind, namespace } = found;
    const [described] = await describeWorkloads(await portsOf(), { cluster, kind, namespace, name });
    return described ? described.pods.length + described.podsLeftOut : 0;
  },
};

process.on('message', ({ id, order, given }: { id: number; order: keyof Orders; given: never }) => {
  obey[order](given).then(
    (answer) => process.send?.({ id, answer }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
// Nobody's orders keep it from ending.
process.channel?.unref();
