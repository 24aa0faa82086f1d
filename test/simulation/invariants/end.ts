// What must be so when everything has ended and come to rest.
import { controllerOf } from '../../../lib/objects/pod-facts.ts';
import { formatKey, parseKey } from '../../../lib/objects/workload.ts';
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';
import { factsFor } from '../../../lib/kinds/facts.ts';
import { viewDigestOf } from '../../../lib/reconciler/view/digest-mismatch.ts';
import { decodeState, hasIntents } from '../../../lib/reconciler/head/pass-state.ts';
import { readView } from '../../../lib/reconciler/view/view-access.ts';
import { digestOf } from '../../../lib/wire/digest.ts';
import { decodeTimer } from '../../../lib/wire/messages.ts';
import { isLook } from '../costs.ts';
import { activeOf, isTracked, livingOf } from '../history.ts';
import { endsOf } from '../scenarios.ts';
import type { Simulation } from '../simulation.ts';
import type { Invariant } from './table.ts';

const endOf = ({ status }: Job): { type: string; reason?: string } | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');

/** A timer of one of these workloads, or one that cannot be read. */
function isAbout(body: string, names: readonly string[]): boolean {
  try {
    const message = decodeTimer(body);
    if ('look' in message) return false;
    const key = parseKey('doubt' in message ? message.doubt : message.key);
    return key === undefined || names.includes(key.name);
  } catch {
    return true;
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

/** Whether so many failures leave a Job its end. Which index or exit code they meet is not known. */
const canBear = ({ spec }: Job, failures: number): boolean =>
  spec.backoffLimitPerIndex === undefined && spec.podFailurePolicy === undefined && failures <= (spec.backoffLimit ?? 6);

/** An exit code ends the story, and each pod that would have ended so was deleted before by an edit: none did, and the others complete the Job. */
const isSpared = ({ history, struck }: Simulation, name: string, reason: string | undefined): boolean =>
  reason === 'PodFailurePolicy' &&
  struck.some(({ fault }) => CHANGES_PODS.has(fault)) &&
  history.jobs.filter((record) => record.name === name).every(({ pods }) => [...pods.values()].every(({ pod }) => !hasFailedByItself(pod)));

/** A pod has ended as the story tells in a past that the API server has forgotten: Farloop may have acted on it before that showed (R3). */
const wasSetBack = ({ struck }: Simulation): boolean => struck.some(({ fault }) => fault === 'apiServerIsOld');

/** What is deleted while it runs ends by a signal. */
const hasFailedByItself = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => ![undefined, 0, 137].includes(state?.terminated?.exitCode)) ?? false;

export const AT_THE_END: readonly Invariant[] = [
  {
    name: 'every Job ends as its story tells',
    rule: 'R1',
    atEnd: (simulation) => {
      const { run, struck, tampering } = simulation;
      for (const { name, cluster, end, reason, succeeded, failed } of endsOf(run.scenario)) {
        const job = simulation
          .server(cluster)
          .jobs()
          .find(({ metadata }) => metadata.name === name);
        if (tampering.endedNamespaces.has(cluster)) continue;
        if (end !== 'Complete' && end !== 'Failed') continue;
        // A pod that somebody deletes is a failure, and may be one too many.
        if (end === 'Complete' && job && tampering.touchedPods > 0 && !canBear(job, (failed ?? 0) + tampering.touchedPods)) continue;
        const found = job && endOf(job);
        const isAsTold = found?.type === end && (reason === undefined || found.reason === reason);
        const isRight = isSpared(simulation, name, reason) ? found?.type === 'Complete' || (isAsTold && wasSetBack(simulation)) : isAsTold;
        if (!isRight) return `${name} ended with ${found?.type} ${found?.reason}`;
        // Some of what strikes changes which pods there are; whether they are counted is asked when the Job ends.
        // And a story that fails, or that somebody's hand decides, may be further on by then: its counts depend on when what happens.
        if (struck.length > 0 && (end === 'Failed' || run.scenario.acts.length > 1 || COUNTS_BY_TIME.has(run.scenario.name))) continue;
        if (tampering.touchedPods > 0 || struck.some(({ fault }) => CHANGES_PODS.has(fault))) continue;
        const { succeeded: foundSucceeded = 0, failed: foundFailed = 0 } = job?.status ?? {};
        if (succeeded !== undefined && foundSucceeded !== succeeded) return `${name}: ${foundSucceeded} succeeded`;
        if (failed !== undefined && foundFailed !== failed) return `${name}: ${foundFailed} failed`;
      }
      return undefined;
    },
  },
  {
    name: 'no finalizer is left',
    rule: 'R1',
    isPartOfTheEnd: true,
    atEnd: ({ history }) => {
      for (const record of history.jobs) {
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
      const ended = history.jobs.filter(({ isGone, finishedAtMs }) => !isGone && finishedAtMs !== undefined);
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
    atEnd: ({ queue, run }) => {
      const inQueue = (name: string): string[] =>
        queue.database
          .prepare('select body from messages where queue = ?')
          .all(name)
          .map(({ body }) => String(body));
      // A look at a cluster comes with every sweep.
      for (const name of run.scenario.clusters) {
        const left = inQueue(`relay-${name}`).filter((body) => !isLook(body));
        if (left.length > 0) return `relay-${name}: ${left.join(' ')}`;
      }
      const wakesLeft = inQueue('wakes').filter((body) => !body.includes('"look":'));
      if (wakesLeft.length > 0) return `wakes: ${wakesLeft.join(' ')}`;
      // A sweep has timers look for stale heads until the next one, and what is parked is looked at now and then.
      const left = inQueue('timers').filter((body) => isAbout(body, Object.keys(run.scenario.ends)));
      return left.length > 0 ? `timers: ${left.join(' ')}` : undefined;
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
        if (simulation.history.job(key.cluster, key.uid)?.isGone !== false) return formatKey(key);
      return undefined;
    },
  },
  {
    name: 'the view tells the truth',
    rule: 'R2',
    atEnd: async (simulation) => {
      const { history, store, records } = simulation;
      for (const head of await headsOf(simulation)) {
        const record = history.job(head.key.cluster, head.key.uid);
        if (!record || !(record.name in simulation.run.scenario.ends)) continue;
        const { part, hasMissingItem } = await readView(store, head, records.get(head.key.cluster)?.era ?? 0);
        const truth = [record.job, ...livingOf(record).map(({ pod }) => pod)].map(({ metadata }) => ({
          uid: metadata.uid ?? '',
          resourceVersion: metadata.resourceVersion ?? '',
        }));
        if (hasMissingItem || viewDigestOf(factsFor(head.key.kind), part) !== digestOf(truth))
          return `${formatKey(head.key)}${hasMissingItem ? ', an item is missing' : ''}: ${JSON.stringify(truth)}`;
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
      const missing = simulation.history.jobs.filter(({ cluster, uid, isGone }) => !isGone && !known.has(`${cluster} ${uid}`));
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

/** What makes other pods than the story tells of, or takes what was counted back. Whatever else strikes, the counts are the story's. */
const CHANGES_PODS = new Set<string>([
  'podIsDeleted',
  'podIsForcedAway',
  'isSuspendedShortly',
  'isScaledShortly',
  'ownerIsRecreated',
  'namespaceEnds',
  'apiServerIsOld',
  'otherController',
  'otherControllerFights',
  'secondFarloop',
]);

/** Stories whose counts depend on when what happens: a work queue's second pod is never made where the first ends before its turn. */
const COUNTS_BY_TIME = new Set<string>(['replaced-when-failed', 'success-policy', 'work-queue']);

const PARKING_FAULTS = new Set<string>(['apiFindsItInvalid', 'otherControllerFights']);
