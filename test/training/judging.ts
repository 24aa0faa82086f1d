// Whether training jobs have become exactly what their stories say.
import { isDeepStrictEqual } from 'node:util';
import type { TrainingJob } from '../../lib/kinds/training/terms/job-types.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import type { JobsCluster } from '../cluster/jobs-cluster.ts';
import { runFarloop } from '../cli/farloop-process.ts';
import { resourceOf } from '../cluster/training-cluster.ts';
import type { Counts, Story } from './stories.ts';
import { SERVICES, type Seen, type Witness } from './witness.ts';

/** Farloop may have been killed just before: the longest wait then is a heartbeat (docs/recovery.md), and thousands of pods take their time. */
const SETTLED_MS = 120_000;
const COLLECTED_MS = 240_000;

export interface Scene {
  cluster: JobsCluster;
  witness: Witness;
  stories: readonly Story[];
  /** How often all state is lost. Each time a failed pod may be forgotten that has gone and has no successor yet. */
  losses: number;
  /** Folder of the state of the Farloop that runs. */
  state: string;
}

export const countsIn = ({ status }: TrainingJob): Counts =>
  Object.fromEntries(
    Object.entries(status?.replicaStatuses ?? {}).map(([type, { active = 0, succeeded = 0, failed = 0 }]) => [
      type,
      { active, succeeded, failed },
    ]),
  );

export const isSame = (one: Counts, other: Counts): boolean => isDeepStrictEqual(one, other);

/** The condition that ended it. */
export const endOf = (job: TrainingJob | undefined): string | undefined =>
  job?.status?.conditions?.find(({ type, status }) => (type === 'Succeeded' || type === 'Failed') && status === 'True')?.type;

/** All jobs have ended. Deletes them in the end. @throws Error with every difference */
export async function judgeAll(scene: Scene): Promise<void> {
  const { cluster, witness, stories, losses } = scene;
  const namespace = stories[0]?.job.metadata.namespace ?? '';
  const listed = async (resource: Resource): Promise<readonly KubernetesObject[]> =>
    (await cluster.api.list(resource, { namespace }, cluster.soon())).items;
  const wanted = stories.flatMap(({ left, hasServices }) =>
    [...left].flatMap((name) => (hasServices ? [`pod ${name}`, `service ${name}`] : [`pod ${name}`])),
  );
  const named = (kind: string, objects: readonly KubernetesObject[]): string[] => objects.map(({ metadata }) => `${kind} ${metadata.name}`);
  const faults = async (): Promise<string[]> => {
    const [pods, services] = [await listed(PODS), await listed(SERVICES)];
    const there = new Set([...named('pod', pods), ...named('service', services)]);
    const asked = new Set(stories.flatMap(({ made }) => [...made.keys()]));
    const owners = new Set(stories.map(({ name }) => witness.jobs.get(name)?.metadata.uid));
    const orphans = [...pods, ...services].filter(
      ({ metadata }) => !metadata.ownerReferences?.some(({ controller, uid }) => controller === true && owners.has(uid)),
    );
    return [
      ...[...there].filter((name) => !wanted.includes(name)).map((name) => `${name} should have gone`),
      ...wanted.filter((name) => !there.has(name)).map((name) => `${name} is gone`),
      ...orphans.map(({ metadata }) => `${metadata.name} has no owner among the jobs`),
      ...[...witness.pods.keys(), ...witness.services.keys()].filter((name) => !asked.has(name)).map((name) => `nobody asked for ${name}`),
      ...stories.flatMap((story) => faultsOf(story, witness, losses).map((fault) => `${story.name} (${story.plot}): ${fault}`)),
    ];
  };
  // The last pass over a job comes after its end, and what it does is heard of later still.
  await until(
    'all is as it must be',
    async () => (await faults()).length === 0,
    SETTLED_MS,
    async () => {
      const all = await faults();
      const odd = stories.find(({ name }) => all.some((fault) => fault.includes(`${name}-`) || fault.startsWith(`${name} `)));
      return `${all.join('\n')}\n${odd ? await accountOf(scene, odd) : ''}`;
    },
  );
  for (const { kind, name } of stories) {
    const uid = witness.jobs.get(name)?.metadata.uid ?? '';
    await cluster.api.delete(resourceOf(kind), { namespace, name, uid, propagationPolicy: 'Background' }, cluster.soon());
  }
  const rest = async (): Promise<string[]> => [...named('pod', await listed(PODS)), ...named('service', await listed(SERVICES))];
  await until(
    'all goes with its job',
    async () => (await rest()).length === 0,
    COLLECTED_MS,
    async () => (await rest()).join('\n'),
  );
}

/** What Farloop says of a job, and how its pods are. */
export async function accountOf({ state, witness }: Scene, { kind, name, job, made }: Story): Promise<string> {
  const { stdout } = await runFarloop(['explain', `${kind.toLowerCase()}/${name}`, '-n', job.metadata.namespace ?? '', '--state', state]);
  const pods = [...made.keys()].map((pod) => {
    const { metadata, status } = witness.pod(pod) ?? {};
    return metadata ? `${pod}: ${status?.phase}, being deleted since ${metadata.deletionTimestamp ?? 'never'}` : `${pod}: none`;
  });
  return [stdout, JSON.stringify(witness.jobs.get(name)?.status), ...pods].join('\n');
}

function faultsOf(story: Story, { jobs, pods, services }: Witness, losses: number): string[] {
  const job = jobs.get(story.name);
  if (!job) return ['it is gone'];
  const conditions = (job.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join(' ');
  const wantedConditions = `Created=True Running=False ${story.end}=True`;
  const { startTime, completionTime } = job.status ?? {};
  return [
    ...(conditions === wantedConditions ? [] : [`its conditions are ${conditions}, not ${wantedConditions}`]),
    ...(isSame(countsIn(job), story.after) ? [] : [`it counts ${JSON.stringify(countsIn(job))}, not ${JSON.stringify(story.after)}`]),
    ...(startTime !== undefined && completionTime !== undefined ? [] : [`it began ${startTime} and ended ${completionTime}`]),
    ...[...story.made].flatMap(([name, least]) =>
      madeFaults(`pod ${name}`, pods.get(name), { least, most: least + (least > 1 ? losses : 0) }),
    ),
    ...[...story.made.keys()].flatMap((name) => {
      const count = story.hasServices ? 1 : 0;
      return madeFaults(`service ${name}`, services.get(name), { least: count, most: count });
    }),
  ];
}

/** One follows another only where that one has failed. */
function madeFaults(what: string, seen: ReadonlyMap<string, Seen> | undefined, { least, most }: { least: number; most: number }): string[] {
  const all = [...(seen?.values() ?? [])];
  return [
    ...(all.length >= least && all.length <= most ? [] : [`${what} was made ${all.length} times, not ${least}`]),
    ...(all.slice(0, -1).every(({ hasFailed }) => hasFailed) ? [] : [`${what} was made anew though it had not failed`]),
  ];
}
