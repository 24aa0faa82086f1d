// Stands for the relay: groups what the watches said, tells whole lists and heartbeats.
import { childStateOf } from '../../lib/kinds/rows/child.ts';
import type { ChildFacts, KindFacts } from '../../lib/kinds/rows/kind.ts';
import { podReaderOf } from '../../lib/kinds/rows/pod-reader.ts';
import { watchesOf, type Watched } from '../../lib/kinds/rows/watches.ts';
import { presenceOf, resourceKeyOf } from '../../lib/objects/child-state.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../lib/objects/resources.ts';
import { slotOf } from '../../lib/wire/words/view-layout.ts';
import { inRanges } from '../../lib/relay/sending/reported-children.ts';
import { belongingOf } from '../../lib/relay/cache/project.ts';
import { digestOf } from '../../lib/wire/words/digest.ts';
import { partsDigestOf } from '../../lib/reconciler/view/parts-digest.ts';
import type {
  Heartbeat,
  Observation,
  OwnerName,
  ResourceReport,
  WorkloadDigest,
  WorkloadReport,
} from '../../lib/wire/words/observations.ts';
import { podsAt as podsToldAt, podsIn } from '../wire/told-children.ts';
import type { World } from './world.ts';

export interface Heard {
  type: string;
  object: KubernetesObject;
}

/** Events as a relay groups them: by workload, the newest state of each object. */
export function reportsOf(kinds: readonly KindFacts[], heard: readonly Heard[]): WorkloadReport[] {
  const reports = new Map<string, WorkloadReport>();
  const reportOf = (owner: OwnerName): WorkloadReport => {
    const others = kinds.find(({ kind }) => kind === owner.kind)?.children ?? [];
    const resources = [PODS, ...others.map(({ resource }) => resource)].map(resourceKeyOf);
    const report = reports.get(owner.uid) ?? { owner, children: resources.map((resource) => ({ resource, children: [] })) };
    reports.set(owner.uid, report);
    return report;
  };
  const tell = (owner: OwnerName, resource: Resource, observation: Observation): void => {
    const told = reportOf(owner).children.find((each) => each.resource === resourceKeyOf(resource));
    if (!told) throw new Error(`${owner.kind} has no ${resource.plural}`);
    told.children = [...told.children.filter(({ child }) => child.uid !== observation.child.uid), observation];
  };
  const watches = watchesOf(kinds);
  for (const { type, object } of heard) {
    const { owner: facts, isPods, children } = watchOf(watches, object);
    const { resourceVersion: heardAt = '0' } = object.metadata;
    const deleted = type === 'DELETED';
    if (facts) reportOf(nameOf(facts, object)).observed = { heardAt, deleted, object: facts.factsOf(object) };
    const owner = isPods ? belongingOf(object.metadata, kinds)?.owner : undefined;
    if (owner) {
      const row = kinds.find(({ kind }) => kind === owner.kind);
      if (!row) throw new Error(`no row of ${owner.kind}`);
      tell(owner, PODS, { heardAt, presence: deleted ? 'deleted' : 'there', child: podReaderOf(row).factsOf(object as Pod) });
    }
    for (const { kind, child } of children) {
      const membership = child.membershipOf(object.metadata);
      if (!membership) continue;
      const { by: _by, ...parent } = membership;
      // Trap 1: an object that a labelled watch calls deleted has left its selection.
      const presence = !deleted ? 'there' : child.watch ? 'left' : 'deleted';
      tell({ ...parent, kind: kind.kind }, child.resource, { heardAt, presence, child: childStateOf(child, object) });
    }
  }
  return [...reports.values()];
}

function watchOf(watches: readonly Watched[], object: KubernetesObject): Pick<Watched, 'owner' | 'isPods' | 'children'> {
  const found = watches.find(({ resource }) => resource.kind === object.kind && resource.apiVersion === object.apiVersion);
  return found ?? { isPods: false, children: [] };
}

const nameOf = ({ kind }: KindFacts, { metadata }: KubernetesObject): OwnerName => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});

interface Listed<Item extends KubernetesObject = KubernetesObject> {
  items: Item[];
  resourceVersion: string;
}

async function listAll<Item extends KubernetesObject>(
  world: World,
  resource: Resource,
  selection?: Watched['selection'],
): Promise<Listed<Item>> {
  const { items, metadata } = await world.as<{ items: Item[]; metadata: { resourceVersion: string } }>('GET', resource, {
    query: { ...selection },
  });
  const { apiVersion, kind } = resource;
  return { items: items.map((item) => ({ ...item, apiVersion, kind })), resourceVersion: metadata.resourceVersion };
}

/** One workload of a whole list: its owner, its own pods and those that nobody controls and that carry its labels, its other children. */
interface Whole {
  facts: KindFacts;
  owner: WorkloadObject;
  /** The version of the owners' list. */
  ownersAt: string;
  pods: Pod[];
  children: { child: ChildFacts; items: KubernetesObject[]; resourceVersion: string }[];
}

/** @returns also the version of the pods' list */
async function wholesOf(world: World): Promise<{ wholes: Whole[]; pods: Pod[]; podsAt: string }> {
  const { items: pods, resourceVersion: podsAt } = await listAll<Pod>(world, PODS);
  const wholes: Whole[] = [];
  for (const facts of world.kinds) {
    if (facts.isOwnerless) continue;
    const owners = await listAll<WorkloadObject>(world, facts.resource);
    const others: Whole['children'] = [];
    for (const child of facts.children) others.push({ child, ...(await listAll(world, child.resource, child.watch)) });
    for (const owner of owners.items)
      wholes.push({
        facts,
        owner,
        ownersAt: owners.resourceVersion,
        pods: pods.filter(({ metadata }) => belongingOf(metadata, world.kinds)?.owner.uid === owner.metadata.uid),
        children: others.map(({ child, items, ...rest }) => ({
          child,
          ...rest,
          items: items.filter(({ metadata }) => child.membershipOf(metadata)?.uid === owner.metadata.uid),
        })),
      });
  }
  return { wholes, pods, podsAt };
}

const statesOf = ({ child, items }: Whole['children'][number]) => items.map((item) => childStateOf(child, item));

const othersOf = ({ children }: Whole): ResourceReport[] =>
  children.map((each) => ({
    resource: resourceKeyOf(each.child.resource),
    children: statesOf(each).map((child) => ({ heardAt: each.resourceVersion, presence: 'there', child })),
    whole: { floor: each.resourceVersion, slots: 'all', ...(each.child.watch && { isSelected: true }) },
  }));

/**
 * All of the cluster as one full list, and the mark that it was all. What the watches said before is part of it.
 * @param wholePods of one workload in one message; more come in ranges
 */
export async function relist(world: World, { wholePods = 4_000 }: { wholePods?: number } = {}): Promise<void> {
  await world.settle();
  world.loseHeard();
  const startedAtMs = world.clock.nowMs();
  const { wholes, pods, podsAt: floor } = await wholesOf(world);
  for (const whole of wholes) {
    const { facts, owner } = whole;
    const own = podsToldAt(whole.pods.map(podReaderOf(facts).factsOf), floor);
    const others = othersOf(whole);
    for (const { slots, children } of inRanges(own.children, wholePods, ({ child }) => slotOf(child)).toReversed())
      await world.send([
        {
          owner: nameOf(facts, owner),
          observed: { heardAt: whole.ownersAt, deleted: false, object: facts.factsOf(owner) },
          children: [{ ...own, children, whole: { floor, slots } }, ...others],
        },
      ]);
  }
  const known = new Set(wholes.map(({ owner }) => owner.metadata.uid));
  for (const report of reportsOf(
    world.kinds,
    pods.map((object) => ({ type: 'ADDED', object })),
  ))
    // Pods that no owner there has: a whole list of each workload that has but pods, too.
    if (!known.has(report.owner.uid))
      await world.send([
        {
          ...report,
          children: [
            {
              ...podsToldAt(
                podsIn(report).map(({ child }) => child),
                floor,
              ),
              whole: { floor, slots: 'all' },
            },
          ],
        },
      ]);
  await heartbeat(world, { fullList: { resourceVersion: floor, startedAtMs } });
}

/** @param change of the truth that a relay would tell */
export async function heartbeat(
  world: World,
  change: Partial<Heartbeat> = {},
  message: { session?: string; era?: number; cluster?: string; kubeSystemUid?: string; sentAtMs?: number } = {},
): Promise<void> {
  const { wholes, podsAt } = await wholesOf(world);
  const digests = wholes.map((whole): WorkloadDigest => {
    const { facts, owner, pods, children } = whole;
    const members = [...pods, owner].map(({ metadata }) => ({ uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' }));
    const parts = children.map((each) => partsDigestOf(resourceKeyOf(each.child.resource), each.child.revision, statesOf(each)));
    return {
      owner: nameOf(facts, owner),
      digest: digestOf([...members, ...presenceOf(children.flatMap(statesOf))]),
      heardAt: podsAt,
      ...(parts.length > 0 && { parts }),
    };
  });
  const watches = watchesOf(world.kinds).map(({ name }) => ({ resource: name, ageMs: 0, resourceVersion: podsAt }));
  const truth: Heartbeat = { watches, clockOffsetMs: world.clusterNowMs() - world.clock.nowMs(), digests };
  await world.send([], { heartbeat: { ...truth, ...change }, ...message });
  await world.ingest();
}
