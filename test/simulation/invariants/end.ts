// What must be so when everything has ended and come to rest.
import { SummaryLog } from '../../../lib/api/list/summary-log.ts';
import { controllerOf } from '../../../lib/objects/pods/pod-facts.ts';
import { formatKey, parseKey } from '../../../lib/objects/workload.ts';
import { childText, resourceKeyOf } from '../../../lib/objects/child-state.ts';
import { childStateOf } from '../../../lib/kinds/rows/child.ts';
import type { ChildFacts } from '../../../lib/kinds/rows/kind.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { factsFor } from '../../../lib/kinds/facts.ts';
import { livingIn } from '../../../lib/reconciler/view/view.ts';
import { viewDigestOf } from '../../../lib/reconciler/cluster/digest-mismatch.ts';
import { decodeState, hasIntents } from '../../../lib/reconciler/head/pass-state.ts';
import { storedSummary } from '../../../lib/reconciler/summary/stored-summary.ts';
import { readView } from '../../../lib/reconciler/view/view-access.ts';
import { digestOf } from '../../../lib/wire/words/digest.ts';
import { decodeTimer } from '../../../lib/wire/messages.ts';
import { comesWithSweeps } from '../costs.ts';
import { activeOf, childrenOf, isTracked, livingOf } from '../history.ts';
import type { Simulation } from '../simulation.ts';
import type { Invariant } from './table.ts';

/** A timer of one of these workloads, or one that cannot be read. */
function isAbout(body: string, names: readonly string[], fences: ReadonlySet<string>): boolean {
  try {
    const message = decodeTimer(body);
    if ('look' in message) return false;
    if ('follows' in message && !fences.has(message.follows)) return false;
    const key = parseKey('doubt' in message ? message.doubt : message.key);
    return key === undefined || names.includes(key.name);
  } catch {
    // A node that has pods looks every five minutes, whether its timer can be read or not.
    return !body.includes('/VirtualNode/');
  }
}

async function headsOf({ store, run }: Simulation) {
  const heads = [];
  for (const cluster of run.scenario.clusters)
    for (const key of (await store.workloads(cluster, { limit: 100 })).keys) {
      const head = await store.readHead(key);
      if (head) heads.push(head);
    }
  return heads;
}

/** What no list shows is known to a pass that met its name, or to nobody. */
function isShown({ watch }: ChildFacts, { metadata: { labels = {} } }: KubernetesObject): boolean {
  return watch === undefined || !('labelSelector' in watch) || Object.hasOwn(labels, watch.labelSelector);
}

export const AT_THE_END: readonly Invariant[] = [
  {
    name: 'no finalizer is left',
    rule: 'R1',
    isPartOfTheEnd: true,
    atEnd: ({ history }) => {
      for (const record of history.owners) {
        if (!record.isGone && record.finishedAtMs === undefined) continue;
        const left = livingOf(record).filter(({ pod }) => isTracked(pod));
        if (left.length > 0) return left.map(({ name }) => name).join();
      }
      return undefined;
    },
  },
  {
    name: 'no pod runs on when its Job has ended',
    rule: 'R10',
    isPartOfTheEnd: true,
    atEnd: ({ history }) => {
      const ended = history.owners.filter(({ isGone, finishedAtMs }) => !isGone && finishedAtMs !== undefined);
      const left = ended.flatMap((record) => activeOf(record)).filter(({ released, strippedByOthers }) => !released && !strippedByOthers);
      return left.length > 0 ? left.map(({ name }) => name).join() : undefined;
    },
  },
  {
    name: 'no pod that nobody owns keeps its finalizer',
    rule: 'R1',
    isPartOfTheEnd: true,
    atEnd: ({ history }) => {
      const left = history.pods.filter(
        ({ isGone, pod }) => !isGone && isTracked(pod) && controllerOf(pod.metadata.ownerReferences) === undefined,
      );
      return left.length > 0 ? left.map(({ name }) => name).join() : undefined;
    },
  },
  {
    name: 'no message remains',
    rule: 'R9',
    atEnd: async (simulation) => {
      const { queue, run } = simulation;
      const inQueue = (name: string): string[] =>
        queue.database
          .prepare('select body from messages where queue = ?')
          .all(name)
          .map(({ body }) => String(body));
      for (const name of run.scenario.clusters) {
        const left = inQueue(`relay-${name}`).filter((body) => !comesWithSweeps(body));
        if (left.length > 0) return `relay-${name}: ${left.join(' ')}`;
      }
      const wakesLeft = inQueue('wakes').filter((body) => !body.includes('"look":'));
      if (wakesLeft.length > 0) return `wakes: ${wakesLeft.join(' ')}`;
      // A sweep has timers look for stale heads until the next one, and what is parked is looked at now and then. A timer that follows an
      // earlier fence wakes nobody: a queue keeps it until it is due.
      const fences = new Set((await headsOf(simulation)).map(({ fence }) => fence));
      const left = inQueue('timers').filter((body) => isAbout(body, Object.keys(run.scenario.ends), fences));
      return left.length > 0 ? `timers: ${left.join(' ')}` : undefined;
    },
  },
  {
    name: 'a list shows of each workload what its head and view say',
    rule: 'R9',
    atEnd: async ({ store, run, records, scheduler }) => {
      for (const cluster of run.scenario.clusters) {
        const record = records.get(cluster);
        if (!record) continue;
        const clock = { nowMs: () => scheduler.wallMs() } as never;
        const telemetry = { error: () => {} } as never;
        // As a process of the API reads it that has just begun: it reads heads whose entry was lost with a function that died.
        const rows = await new SummaryLog({ store, clock, telemetry }).rowsOf(record);
        const shown = new Map([...rows].map(({ id, summary }) => [id, summary]));
        for (const key of (await store.workloads(cluster, { limit: 100 })).keys) {
          const fresh = await storedSummary({ store, clock, telemetry }, key, { record });
          const listed = shown.get(formatKey(key));
          if (fresh?.state !== listed?.state || fresh?.reason !== listed?.reason)
            return `${formatKey(key)}: ${listed?.state} ${listed?.reason}, not ${fresh?.state} ${fresh?.reason}`;
        }
      }
      return undefined;
    },
  },
  {
    name: 'nothing but the unreadable is a dead letter',
    rule: 'R13',
    atEnd: async ({ queue, poisoned, run }) => {
      let dead = 0;
      const ofRelays = run.scenario.clusters.map((name) => `relay-${name}` as const);
      for (const name of ['events', 'wakes', 'timers', ...ofRelays] as const) dead += (await queue.depth(name)).dead;
      return dead > poisoned ? `${dead} dead letters, ${poisoned} were poisoned` : undefined;
    },
  },
  {
    name: 'every intent is settled',
    rule: 'R4',
    atEnd: async (simulation) => {
      for (const head of await headsOf(simulation)) {
        const state = decodeState(head.state);
        if (state && hasIntents(state.intents)) return `${formatKey(head.key)}: ${head.state}`;
      }
      return undefined;
    },
  },
  {
    name: 'no head waits for anything',
    rule: 'R9',
    atEnd: async (simulation) => {
      for (const head of await headsOf(simulation)) {
        if (!(head.key.name in simulation.run.scenario.ends)) continue;
        if (head.queued === head.fence || head.pendingSinceMs !== undefined || head.wake)
          return `${formatKey(head.key)}: queued ${head.queued === head.fence}, pending since ${head.pendingSinceMs}, wake ${JSON.stringify(head.wake)}`;
      }
      return undefined;
    },
  },
  {
    name: 'what is gone is forgotten',
    rule: 'R16',
    atEnd: async (simulation) => {
      for (const { key } of await headsOf(simulation))
        if (simulation.history.owner(key.cluster, key.uid)?.isGone !== false) return formatKey(key);
      return undefined;
    },
  },
  {
    name: 'the view tells the truth',
    rule: 'R2',
    atEnd: async (simulation) => {
      const { history, store, records } = simulation;
      for (const head of await headsOf(simulation)) {
        const record = history.owner(head.key.cluster, head.key.uid);
        if (!record || !(record.name in simulation.run.scenario.ends)) continue;
        const facts = factsFor(head.key.kind);
        const { part, hasMissingItem, children } = await readView(store, head, records.get(head.key.cluster)?.era ?? 0);
        const truth = [record.object, ...livingOf(record).map(({ pod }) => pod)].map(({ metadata }) => ({
          uid: metadata.uid ?? '',
          resourceVersion: metadata.resourceVersion ?? '',
        }));
        if (hasMissingItem || viewDigestOf(facts, part) !== digestOf(truth))
          return `${formatKey(head.key)}${hasMissingItem ? ', an item is missing' : ''}: ${JSON.stringify(truth)}`;
        const others = facts.children.flatMap((row) =>
          childrenOf(record).flatMap(({ resource, object }) =>
            resource === resourceKeyOf(row.resource) && isShown(row, object) ? [childText(childStateOf(row, object))] : [],
          ),
        );
        const known = children.flatMap((each) => [...livingIn(each)]).map(childText);
        if (known.toSorted().join('\n') !== others.toSorted().join('\n'))
          return `${formatKey(head.key)}: the view has ${known.join(', ')}, the API server ${others.join(', ')}`;
      }
      return undefined;
    },
  },
  {
    name: 'a table that was never lost knows every workload that there is',
    rule: 'R2',
    isPartOfTheEnd: true,
    atEnd: async (simulation) => {
      const known = new Set((await headsOf(simulation)).map(({ key }) => `${key.cluster} ${key.uid}`));
      const missing = simulation.history.owners.filter(({ cluster, uid, isGone }) => !isGone && !known.has(`${cluster} ${uid}`));
      return missing.length > 0 ? missing.map(({ name }) => name).join() : undefined;
    },
  },
  {
    name: 'nothing is parked that works',
    rule: 'R13',
    atEnd: ({ parkings, run, struck, together }) => {
      if (struck.some(({ fault }) => PARKING_FAULTS.has(fault))) return undefined;
      const wrong = parkings.filter((text) => {
        const name = text.slice(0, text.indexOf(':'));
        const isForFight = together.fights.has(name) && text.includes('writes the status of this');
        return run.scenario.ends[name] !== undefined && !isForFight;
      });
      return wrong.length > 0 ? wrong.join(' | ') : undefined;
    },
  },
];

const PARKING_FAULTS = new Set<string>(['apiFindsItInvalid', 'otherControllerFights']);
