// Worlds in which training jobs run: cases about several passes are told at the API server.
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { resourceOf } from '../../../lib/kinds/training/facts.ts';
import type { TrainingJob, TrainingStatus } from '../../../lib/kinds/training/terms/job-types.ts';
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { EVENTS, PODS, type Resource } from '../../../lib/objects/resources.ts';
import { definedRows } from '../../sandbox/defined-rows.ts';
import { World, type WorldOptions } from '../../world/world.ts';
import { aTraining, type JobParts } from './builders.ts';

/** Its watches are open. */
export async function openTrainingWorld(options: WorldOptions = {}): Promise<World> {
  const rows = FRAMEWORKS.flatMap(({ kind }) => definedRows(kind));
  const world = new World({ manages: ['training-jobs'], rows, ...options });
  await world.watch();
  return world;
}

/** Creates the job as a user does: without what a server gives it. */
export async function submitted(world: World, parts: JobParts & { name?: string } = {}): Promise<TrainingJob> {
  const { name = 'j', ...rest } = parts;
  const { status: _status, ...job } = aTraining(rest);
  const { labels, annotations } = parts.metadata ?? {};
  return await world.apply<TrainingJob>({
    ...job,
    metadata: { name, namespace: 'default', ...(labels && { labels }), ...(annotations && { annotations }) },
  });
}

export const statusOf = async (world: World, framework: Framework, name = 'j'): Promise<TrainingStatus> =>
  (await world.as<TrainingJob>('GET', resourceOf(framework), { namespace: 'default', name })).status ?? {};

/** `Created=True Running=False`. */
export const statesOf = ({ conditions = [] }: TrainingStatus): string =>
  conditions.map(({ type, status }) => `${type}=${status}`).join(' ');

export const namesOf = async (world: World, resource: Resource = PODS): Promise<string[]> =>
  (await world.all(resource)).map(({ metadata }) => metadata.name ?? '').toSorted();

export async function podNamed(world: World, name: string): Promise<Pod> {
  const pod = (await world.pods()).find(({ metadata }) => metadata.name === name);
  if (!pod) throw new Error(`there is no pod ${name}`);
  return pod;
}

/** So many seconds later every pod that is bound to no node runs. */
export async function running(world: World, seconds = 3): Promise<void> {
  await world.elapse(seconds, { play: false });
  for (const pod of await world.pods()) if (pod.status?.phase === 'Pending') await world.startPod(pod);
  await world.elapse(seconds, { play: false });
}

export interface Told {
  reason: string;
  message: string;
  type: string;
  count: number;
}

/** Events of the API server, with how often each was told. */
export async function eventsOf(world: World): Promise<Told[]> {
  const events = await world.all<KubernetesObject & Partial<Told> & { series?: { count?: number } }>(EVENTS);
  return events.map(({ reason = '', message = '', type = '', count, series }) => ({
    reason,
    message,
    type,
    count: series?.count ?? count ?? 1,
  }));
}

/** How often a reason was told. */
export const timesTold = async (world: World, reason: string): Promise<number> =>
  (await eventsOf(world)).filter((event) => event.reason === reason).reduce((sum, { count }) => sum + count, 0);

/** `create pods j-worker-0`, Events apart, from so many writes on. */
export const writesSince = (world: World, before: number): string[] =>
  world.cluster.writes
    .slice(before)
    .map(({ verb, plural, name, subresource }) => [verb, plural, name, subresource].filter(Boolean).join(' '));

export const change = async (world: World, framework: Framework, spec: object, name = 'j'): Promise<void> =>
  void (await world.as('PATCH', resourceOf(framework), {
    namespace: 'default',
    name,
    type: 'application/merge-patch+json',
    body: { spec },
  }));
