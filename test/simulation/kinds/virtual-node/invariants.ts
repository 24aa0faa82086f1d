// What must hold of pods on virtual nodes alone.
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { effectiveRequestsOf } from '../../../../lib/objects/pods/pod-requests.ts';
import { fieldsOf, listOf, textOf } from '../../../../lib/objects/values/untyped-fields.ts';
import { decodeState } from '../../../../lib/reconciler/head/pass-state.ts';
import type { Task } from '../../../../lib/objects/task.ts';
import { endsOf } from '../../scenario.ts';
import type { Simulation } from '../../simulation.ts';
import type { Invariant } from '../../invariants/table.ts';
import { NODE } from './stories.ts';

/** Thousandths of a cpu that the node offers. */
const CAPACITY = 2_000;

/** Deadlines of victims, by uid. */
const EVICTED = new WeakMap<Simulation, Map<string, number>>();

const tasksOf = ({ providers }: Simulation, cluster: string): Task[] => (providers.isPresent ? providers.of(cluster).tasksOn(NODE) : []);

const requestOf = (pod: Pod | undefined): number => (pod ? Number(effectiveRequestsOf(pod).get('cpu') ?? 0n) : 0);

export const OF_VIRTUAL_NODES: readonly Invariant[] = [
  {
    name: 'a phase is final only once nothing runs',
    rule: 'R1',
    onChange: (change, simulation) => {
      if (change.kind !== 'owner' || change.record.kind !== 'VirtualPod' || !change.by) return undefined;
      const { phase = '' } = (change.now as unknown as Pod).status ?? {};
      const { phase: before = '' } = (change.before as unknown as Pod | undefined)?.status ?? {};
      if (!['Succeeded', 'Failed'].includes(phase) || phase === before || change.type === 'DELETED') return undefined;
      const task = tasksOf(simulation, change.record.cluster).find(({ uid }) => uid === change.record.uid);
      return task && !task.hasEnded ? `${change.record.name} is ${phase}, and its task runs` : undefined;
    },
  },
  {
    name: 'a node never runs more than it has room for',
    rule: 'R1',
    // As the node's passes decide. Only a victim that outlives its deadline, which may be because its wake was lost, overbooks a node.
    onEffect: ({ call }, simulation) => {
      const [key, , change] = call.args as [{ kind?: string } | undefined, unknown, { state?: string } | undefined];
      if (call.port !== 'store' || call.method !== 'updateHead' || key?.kind !== 'VirtualNode' || change?.state === undefined)
        return undefined;
      const { kept } = decodeState(change.state) ?? {};
      const pods = listOf(fieldsOf(fieldsOf(kept)['decision'])['pods']);
      const late = pods.flatMap(({ uid, eviction }) =>
        eviction === undefined ? [] : [{ uid: textOf(uid), deadline: textOf(fieldsOf(eviction)['deadline']) }],
      );
      const known = EVICTED.get(simulation) ?? new Map<string, number>();
      for (const { uid, deadline } of late) known.set(uid, Math.min(known.get(uid) ?? Infinity, Date.parse(deadline)));
      EVICTED.set(simulation, known);
      return undefined;
    },
    onStep: (simulation) => {
      const isLate = (uid: string, cluster: string): boolean =>
        (EVICTED.get(simulation)?.get(uid) ?? Infinity) <= simulation.server(cluster).nowMs() + 1_000;
      for (const cluster of simulation.run.scenario.clusters) {
        const running = tasksOf(simulation, cluster).filter(({ hasEnded, uid }) => !hasEnded && !isLate(uid, cluster));
        const taken = running.reduce((sum, { requests = {} }) => sum + Number((requests['cpu'] ?? '0m').replace('m', '')), 0);
        if (taken > CAPACITY) return `${running.map(({ name }) => name).join(', ')} take ${taken}m of ${CAPACITY}m`;
      }
      return undefined;
    },
  },
  {
    name: 'a task is started once',
    rule: 'R5',
    onStep: ({ providers, run }) => {
      if (!providers.isPresent) return undefined;
      for (const cluster of run.scenario.clusters)
        for (const [name, count] of providers.of(cluster).starts) if (count > 1) return `${name} was started ${count} times`;
      return undefined;
    },
  },
  {
    name: 'a pod that is final or gone gets no task',
    rule: 'R10',
    onEffect: ({ call }, { history }) => {
      if (call.port !== 'provider' || call.method !== 'start') return undefined;
      const [{ uid }] = call.args as [{ uid: string }];
      const record = history.owner(call.cluster ?? '', uid);
      const live = call.invocation?.live.get(uid) as Pod | undefined;
      if (!live) return `${record?.name} is started unseen`;
      const { phase = '' } = live.status ?? {};
      if (['Succeeded', 'Failed'].includes(phase)) return `${record?.name} is started, and was ${phase}`;
      return live.metadata.deletionTimestamp === undefined ? undefined : `${record?.name} is started, and was being deleted`;
    },
  },
  {
    name: 'no task is forgotten',
    rule: 'R1',
    isPartOfTheEnd: true,
    atEnd: (simulation) => {
      const { history, run } = simulation;
      for (const cluster of run.scenario.clusters)
        for (const { uid, name, hasEnded } of tasksOf(simulation, cluster)) {
          const record = history.owner(cluster, uid);
          if (!hasEnded && (!record || record.isGone)) return `the task of ${name} runs, and its pod is gone`;
        }
      return undefined;
    },
  },
  {
    name: 'a pod is told of its eviction once',
    rule: 'R5',
    atEnd: ({ servers, struck }) => {
      // An Event whose answer is lost is written once more under its name; a lost table forgets that it was told.
      if (struck.some(({ fault }) => ['tableIsLost', 'tableIsOld', 'secondFarloop', 'apiServerIsOld'].includes(fault))) return undefined;
      for (const server of servers.values()) {
        const told = new Map<string, number>();
        for (const object of server.objects('events')) {
          const { reason, involvedObject } = object as unknown as { reason?: string; involvedObject?: { uid?: string; name?: string } };
          if (reason !== 'Preempting') continue;
          const uid = involvedObject?.uid ?? '';
          told.set(uid, (told.get(uid) ?? 0) + 1);
          if ((told.get(uid) ?? 0) > 1) return `${involvedObject?.name} was told twice`;
        }
      }
      return undefined;
    },
  },
  {
    name: 'every pod on a virtual node ends as its story tells',
    rule: 'R1',
    atEnd: ({ history, kindOf, run, tampering, struck }) => {
      if (kindOf.facts.kind !== 'VirtualPod') return undefined;
      const isTampered = struck.some(({ fault }) => STORY_CHANGING.has(fault));
      for (const { name, cluster, end } of endsOf(run.scenario)) {
        if (isTampered || tampering.endedNamespaces.has(cluster) || (end !== 'Complete' && end !== 'Failed')) continue;
        const record = history.owners.findLast((each) => each.cluster === cluster && each.name === name && !each.isGone);
        const phase = record && (record.object as unknown as Pod).status?.phase;
        if (phase !== (end === 'Complete' ? 'Succeeded' : 'Failed'))
          return `${name} is ${phase} with ${requestOf(record?.object as never)}m`;
      }
      return undefined;
    },
  },
];

/** Faults after which a pod may rightly end in another way. */
const STORY_CHANGING = new Set<string>(['apiServerIsOld', 'ownerIsRecreated', 'namespaceEnds', 'podIsDeleted']);
