// Whether training jobs have become exactly what their stories say.
import { isDeepStrictEqual } from 'node:util';
import type { TrainingJob } from '../../lib/kinds/training/job-types.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../lib/objects/resources.ts';
import { check, comesAbout, until } from '../claims.ts';
import type { JobsCluster } from '../cluster/jobs-cluster.ts';
import { resourceOf } from '../cluster/training-cluster.ts';
import type { Counts, Story } from './stories.ts';
import { SERVICES, type Seen, type Witness } from './witness.ts';

/** Clean-up follows the end of a job, and takes its time with thousands of pods. */
const SETTLED_MS = 60_000;
const HEARD_MS = 15_000;
const COLLECTED_MS = 240_000;

interface Scene {
  cluster: JobsCluster;
  witness: Witness;
  stories: readonly Story[];
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
  const { cluster, witness, stories } = scene;
  const namespace = stories[0]?.job.metadata.namespace ?? '';
  const listed = async (resource: Resource): Promise<readonly KubernetesObject[]> =>
    (await cluster.api.list(resource, { namespace }, cluster.soon())).items;
  const left = stories.flatMap((story) => [...story.left]);
  const leftServices = stories.flatMap((story) => (story.hasServices ? [...story.left] : []));
  const names = (objects: readonly KubernetesObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '').toSorted();
  const differences = async (): Promise<string[]> => [
    ...difference('pods', names(await listed(PODS)), left.toSorted()),
    ...difference('services', names(await listed(SERVICES)), leftServices.toSorted()),
  ];
  await until(
    'nothing is left that should have gone',
    async () => (await differences()).length === 0,
    SETTLED_MS,
    async () => (await differences()).join('\n'),
  );
  const owners = new Set(stories.map(({ name }) => witness.jobs.get(name)?.metadata.uid));
  const orphans = [...(await listed(PODS)), ...(await listed(SERVICES))].filter(
    ({ metadata }) => !metadata.ownerReferences?.some(({ controller, uid }) => controller === true && owners.has(uid)),
  );
  // What is made of a job is heard of on other connections than the job itself.
  const made = stories.reduce((sum, story) => sum + [...story.made.values()].reduce((pods, count) => pods + count, 0), 0);
  await comesAbout(() => witness.podsMade >= made, HEARD_MS);
  const named = new Set(stories.flatMap((story) => [...story.made.keys()]));
  const faults = [
    ...names(orphans).map((name) => `${name} has no owner among the jobs`),
    ...[...witness.pods.keys()].filter((name) => !named.has(name)).map((name) => `nobody asked for pod ${name}`),
    ...[...witness.services.keys()].filter((name) => !named.has(name)).map((name) => `nobody asked for service ${name}`),
    ...stories.flatMap((story) => faultsOf(story, witness).map((fault) => `${story.name} (${story.plot}): ${fault}`)),
  ];
  check(faults.length === 0, `${faults.length} faults\n${faults.join('\n')}`);
  for (const { kind, name } of stories) {
    const uid = witness.jobs.get(name)?.metadata.uid ?? '';
    await cluster.api.delete(resourceOf(kind), { namespace, name, uid, propagationPolicy: 'Background' }, cluster.soon());
  }
  const rest = async (): Promise<string[]> => names([...(await listed(PODS)), ...(await listed(SERVICES))]);
  await until(
    'all goes with its job',
    async () => (await rest()).length === 0,
    COLLECTED_MS,
    async () => (await rest()).join(' '),
  );
}

function faultsOf(story: Story, { jobs, pods, services }: Witness): string[] {
  const job = jobs.get(story.name);
  if (!job) return ['it is gone'];
  const conditions = (job.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join(' ');
  const wantedConditions = `Created=True Running=False ${story.end}=True`;
  const { startTime, completionTime } = job.status ?? {};
  return [
    ...(conditions === wantedConditions ? [] : [`its conditions are ${conditions}, not ${wantedConditions}`]),
    ...(isSame(countsIn(job), story.after) ? [] : [`it counts ${JSON.stringify(countsIn(job))}, not ${JSON.stringify(story.after)}`]),
    ...(startTime !== undefined && completionTime !== undefined ? [] : [`it began ${startTime} and ended ${completionTime}`]),
    ...[...story.made].flatMap(([name, count]) => madeFaults(`pod ${name}`, pods.get(name), count)),
    ...[...story.made.keys()].flatMap((name) => madeFaults(`service ${name}`, services.get(name), story.hasServices ? 1 : 0)),
  ];
}

/** One follows another only where that one has failed. */
function madeFaults(what: string, seen: ReadonlyMap<string, Seen> | undefined, wanted: number): string[] {
  const all = [...(seen?.values() ?? [])];
  return [
    ...(all.length === wanted ? [] : [`${what} was made ${all.length} times, not ${wanted}`]),
    ...(all.slice(0, -1).every(({ hasFailed }) => hasFailed) ? [] : [`${what} was made anew though it had not failed`]),
  ];
}

/** @param is and `wanted`: sorted names */
function difference(what: string, is: readonly string[], wanted: readonly string[]): string[] {
  const [there, asked] = [new Set(is), new Set(wanted)];
  const extra = is.filter((name) => !asked.has(name));
  const missing = wanted.filter((name) => !there.has(name));
  return [
    ...(extra.length > 0 ? [`${what} that should have gone: ${extra.join(' ')}`] : []),
    ...(missing.length > 0 ? [`${what} that are missing: ${missing.join(' ')}`] : []),
  ];
}
