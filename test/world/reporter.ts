// Stands for the relay: groups what the watches said, tells whole lists and heartbeats.
import { jobFactsOf } from '../../lib/objects/job-facts.ts';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { podFactsOf } from '../../lib/objects/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { slotOf } from '../../lib/wire/view-layout.ts';
import { inRanges } from '../../lib/relay/telling.ts';
import { belongingOf } from '../../lib/relay/project.ts';
import { digestOf } from '../../lib/wire/digest.ts';
import type { Heartbeat, OwnerName, WorkloadDigest, WorkloadReport } from '../../lib/wire/observations.ts';
import type { World } from './world.ts';

export interface Heard {
  type: string;
  object: KubernetesObject;
}

/** Events as a relay groups them: by workload, the newest state of each object. */
export function reportsOf(heard: readonly Heard[]): WorkloadReport[] {
  const reports = new Map<string, WorkloadReport>();
  const reportOf = (owner: OwnerName): WorkloadReport => {
    const report = reports.get(owner.uid) ?? { owner, pods: [] };
    reports.set(owner.uid, report);
    return report;
  };
  for (const { type, object } of heard) {
    const { name = '', namespace = '', uid = '', resourceVersion = '0' } = object.metadata;
    const deleted = type === 'DELETED';
    if (object.kind === 'Job') {
      reportOf({ kind: 'Job', namespace, name, uid }).observed = { heardAt: resourceVersion, deleted, object: jobFactsOf(object as Job) };
      continue;
    }
    const owner = belongingOf(object.metadata)?.owner;
    if (!owner) continue;
    const { pods } = reportOf(owner);
    const observation = { heardAt: resourceVersion, deleted, pod: podFactsOf(object as Pod) };
    const at = pods.findIndex(({ pod }) => pod.uid === uid);
    if (at < 0) pods.push(observation);
    else pods[at] = observation;
  }
  return [...reports.values()];
}

const ownerOf = ({ metadata }: Job): OwnerName => ({
  kind: 'Job',
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});

interface Listed {
  jobs: Job[];
  pods: Pod[];
  resourceVersion: string;
}

async function listAll(world: World): Promise<Listed> {
  type List<Item> = { metadata: { resourceVersion: string }; items: Item[] };
  const jobs = await world.as<List<Job>>('GET', JOBS, {});
  const pods = await world.as<List<Pod>>('GET', PODS, {});
  const kinds = { jobs: { apiVersion: 'batch/v1', kind: 'Job' }, pods: { apiVersion: 'v1', kind: 'Pod' } };
  return {
    jobs: jobs.items.map((job) => ({ ...job, ...kinds.jobs })),
    pods: pods.items.map((pod) => ({ ...pod, ...kinds.pods })),
    // The lowest of its pages, as a relay takes it.
    resourceVersion: jobs.metadata.resourceVersion,
  };
}

/** Its own, and those that nobody controls and that carry its labels. */
const podsOf = (job: Job, pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata }) => belongingOf(metadata)?.owner.uid === job.metadata.uid);

/**
 * All of the cluster as one full list, and the mark that it was all. What the watches said before is part of it.
 * @param wholePods of one Job in one message; more come in ranges
 */
export async function relist(world: World, { wholePods = 4_000 }: { wholePods?: number } = {}): Promise<void> {
  await world.settle();
  world.loseHeard();
  const startedAtMs = world.clock.nowMs();
  const { jobs, pods, resourceVersion: floor } = await listAll(world);
  for (const job of jobs) {
    const observations = podsOf(job, pods).map((pod) => ({ heardAt: floor, deleted: false, pod: podFactsOf(pod) }));
    for (const { slots, pods: within } of inRanges(observations, wholePods, ({ pod }) => slotOf(pod)).toReversed())
      await world.send([
        {
          owner: ownerOf(job),
          observed: { heardAt: floor, deleted: false, object: jobFactsOf(job) },
          pods: [...within],
          whole: { floor, slots },
        },
      ]);
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const report of reportsOf(pods.map((object) => ({ type: 'ADDED', object }))))
    // Pods that no Job there owns: a whole list of each workload that has but pods, too.
    if (!known.has(report.owner.uid))
      await world.send([{ ...report, pods: report.pods.map((pod) => ({ ...pod, heardAt: floor })), whole: { floor, slots: 'all' } }]);
  await heartbeat(world, { fullList: { resourceVersion: floor, startedAtMs } });
}

/** @param change of the truth that a relay would tell */
export async function heartbeat(
  world: World,
  change: Partial<Heartbeat> = {},
  message: { session?: string; era?: number; cluster?: string; kubeSystemUid?: string; sentAtMs?: number } = {},
): Promise<void> {
  const { jobs, pods, resourceVersion } = await listAll(world);
  const digests = jobs.map((job): WorkloadDigest => {
    const members = [...podsOf(job, pods), job].map(({ metadata }) => ({
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
    }));
    return { owner: ownerOf(job), digest: digestOf(members), heardAt: resourceVersion };
  });
  const watches = ['jobs', 'pods'].map((resource) => ({ resource, ageMs: 0, resourceVersion }));
  const truth: Heartbeat = { watches, clockOffsetMs: world.clusterNowMs() - world.clock.nowMs(), digests };
  await world.send([], { heartbeat: { ...truth, ...change }, ...message });
  await world.ingest();
}
