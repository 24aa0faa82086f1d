// Decides about an ensemble: who takes which seat, what stands beside the pods, how it ends.
import * as v from 'valibot';
import { resourceKeyOf, type ChildState } from '../../../../lib/objects/child-state.ts';
import type { Condition, Json } from '../../../../lib/objects/kubernetes.ts';
import { CHILD_NUMBER, isActive, isFinished, isReady, timeOf, type PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { PODS, type Resource } from '../../../../lib/objects/resources.ts';
import {
  nameKeyOf,
  readKeyOf,
  type Action,
  type Plan,
  type Planner,
  type ReadWant,
  type Snapshot,
} from '../../../../lib/kinds/rows/plan.ts';
import { definePlanner } from '../../../../lib/kinds/rows/planner-row.ts';
import * as ensemble from './ensemble.ts';
import type { Ensemble, EnsembleStatus, Seat } from './ensemble.ts';
import { ensembleFacts, partOfData } from './facts.ts';

/** Failures made good, by slot: the number of the latest failed pod, and how many there were. Read twice, a failure counts once (trap 5). */
const Kept = v.object({ failures: v.record(v.string(), v.tuple([v.number(), v.number()])) });
type Kept = v.InferOutput<typeof Kept>;
type Given = Snapshot<Ensemble>;
type EventAction = Extract<Action, { verb: 'event' }>;

/** A name that somebody else has is tried again after this time: nothing tells of that object. */
const TAKEN_AGAIN_SECONDS = 3;

const planner: Planner<Ensemble, EnsembleStatus> = {
  plan,
  afterOwner: ({ pods, children }) => {
    const actions = [
      ...pods.filter(isActive).map((pod) => deletePod(pod, 'its ensemble is gone', false)),
      ...[...ensembleFacts.children].flatMap(({ resource }) => living(children, resource).map((child) => deleteChild(resource, child))),
    ];
    return { actions, isDone: pods.length === 0 && actions.length === 0 };
  },
};

export const ensembleRow = definePlanner<Ensemble, EnsembleStatus>({
  planner,
  status: { patchOf: (status) => status, childrenIn: () => [], debouncedFields: ['ready'] },
  metrics: {
    ofStatus: (before, { status }) =>
      ensembleFacts.isFinished(before) || (status?.phase !== 'Complete' && status?.phase !== 'Failed')
        ? []
        : [{ metric: 'ensembles_finished_total', value: 1, labels: { result: status.phase } }],
  },
  kept: { schema: Kept },
});

function plan(given: Given, now: Date): Plan<EnsembleStatus> {
  const { owner, head, manages } = given;
  const before = owner.status ?? {};
  const rest = { status: before, head: { backoff: head.backoff, ordinal: head.ordinal } };
  if (!ensembleFacts.isManaged(owner, manages)) return { ...rest, actions: [], outcome: 'notOurs', why: ['somebody else manages it'] };
  if (owner.metadata.deletionTimestamp !== undefined)
    return { ...rest, actions: [], outcome: 'converged', why: ['it is being deleted, and all that it owns with it'] };
  const pods = podsBySlot(given);
  if (ensembleFacts.isFinished(owner)) {
    const actions = cleanUp(given);
    return { ...rest, actions, outcome: actions.length > 0 ? 'acted' : 'converged', why: ['the ensemble has ended'] };
  }
  const { wants, missing } = scoreOf(given);
  if (wants.length > 0) return { ...rest, actions: [], wants, outcome: 'waiting', why: ['it has yet to read its score'] };
  const kept = failuresOf(given, pods);
  const restarts = Object.values(kept.failures).reduce((sum, [, count]) => sum + count, 0);
  const seats = ensemble.seatsOf(owner);
  const lead = seats.filter(({ role }) => role === seats[0]?.role);
  const isComplete = lead.length > 0 && lead.every(({ slot }) => pods.get(slot)?.phase === 'Succeeded');
  const isFailed = restarts > (owner.spec.restartLimit ?? 3);
  const phase = isComplete ? 'Complete' : isFailed ? 'Failed' : phaseOf(given, pods);
  const status: EnsembleStatus = {
    phase,
    ready: Object.fromEntries(
      ensemble.ROLES.map((role) => {
        const ready = seats.filter((seat) => seat.role === role && [pods.get(seat.slot)].some((pod) => pod && isReady(pod)));
        return [role, ready.length];
      }),
    ),
    restarts,
    conditions: conditionsOf(before, phase, now),
  };
  const writes = JSON.stringify(status) === JSON.stringify(inOrder(before)) ? [] : [statusAction(owner, status)];
  const isOver = isComplete || isFailed;
  const event = isOver ? [eventOf(owner, isComplete ? 'Normal' : 'Warning', `Ensemble${phase}`, `restarts: ${restarts}`)] : [];
  if (isOver) return { ...rest, actions: [...writes, ...event].flat(), status, outcome: 'acted', continues: true, why: [`it is ${phase}`] };
  const seating = seatingOf(given, pods, { seats, kept, isHeldUp: missing !== undefined, now });
  const actions = [...seating.actions, ...besidesOf(given, seats, pods), ...writes.flat()];
  return {
    ...rest,
    actions,
    status,
    outcome: actions.length > 0 ? 'acted' : seating.againSeconds === undefined && missing === undefined ? 'converged' : 'waiting',
    why: missing !== undefined ? [`its score ${missing} is not there`] : [...seating.why, `it is ${phase}`],
    ...(missing !== undefined || seating.againSeconds !== undefined
      ? { requeueAfterSeconds: seating.againSeconds ?? TAKEN_AGAIN_SECONDS }
      : {}),
    head: { ...rest.head, kept },
  };
}

const isOwn = ({ owner }: Given, { controller }: PodFacts): boolean => controller?.uid === owner.metadata.uid;

/** One of an upstream operator may lack the labels: its name tells its seat. */
function podsBySlot(given: Given): Map<number, PodFacts> {
  const pods = new Map<number, PodFacts>();
  const byName = new Map(ensemble.seatsOf(given.owner).map(({ slot }) => [ensemble.nameOfSlot(given.owner, slot), slot]));
  for (const pod of given.pods) {
    const slot = byName.get(pod.name) ?? ensemble.slotOf(pod);
    if (slot !== undefined && isOwn(given, pod)) pods.set(slot, pod);
  }
  return pods;
}

const living = (children: Given['children'], resource: Resource): readonly ChildState[] => children?.get(resourceKeyOf(resource)) ?? [];

function phaseOf({ owner }: Given, pods: ReadonlyMap<number, PodFacts>): NonNullable<EnsembleStatus['phase']> {
  if (owner.spec.suspend === true) return 'Suspended';
  return [...pods.values()].some(({ phase }) => phase === 'Running') ? 'Playing' : 'Pending';
}

/** The secret that it names, and each further one that a secret names. */
function scoreOf({ owner, read }: Given): { wants: ReadWant[]; missing?: string } {
  const { score } = owner.spec;
  for (let name = score?.name; name !== undefined;) {
    const want = { resource: ensemble.SECRETS, ...score, name, fields: { metadata: true } };
    const found = read?.get(readKeyOf(want, owner.metadata.namespace ?? ''));
    if (!found) return { wants: [want] };
    if (!found.objects) return { wants: [], missing: name };
    name = found.objects[0]?.metadata.annotations?.[ensemble.CONTINUES];
  }
  return { wants: [] };
}

/** Of each slot the failures of its pods, told apart by number; a pod says in a label how many there were before it. */
function failuresOf({ kept }: Given, pods: ReadonlyMap<number, PodFacts>): Kept {
  const failures = { ...(kept as Kept | undefined)?.failures };
  for (const [slot, { phase, number = 0, labels }] of pods) {
    const [latest, count] = failures[slot] ?? [-1, 0];
    const known = Math.max(count, Number(labels[ensemble.RESTARTS_LABEL] ?? 0));
    if (phase === 'Failed' && number > latest) failures[slot] = [number, known + 1];
    else if (known > count) failures[slot] = [latest, known];
  }
  return { failures };
}

interface Seating {
  seats: readonly Seat[];
  kept: Kept;
  /** No pod is made now. */
  isHeldUp: boolean;
  now: Date;
}

/** Pods to make and to delete. A seat whose name is taken waits; the others go on (trap 6). */
function seatingOf(given: Given, pods: ReadonlyMap<number, PodFacts>, { seats, kept, isHeldUp, now }: Seating) {
  const { owner, head, held } = given;
  const heldMs = Math.max(head.holdUntilMs ?? 0, head.deleteHoldUntilMs ?? 0) - now.getTime();
  const wanted = new Set(owner.spec.suspend === true ? [] : seats.map(({ slot }) => slot));
  const actions: Action[] = [];
  const why: string[] = [];
  for (const [slot, pod] of pods) {
    const isWanted = wanted.has(slot);
    if ((isWanted && pod.phase !== 'Failed') || pod.deletedAt !== undefined || head.deleteHoldUntilMs !== undefined) continue;
    if (!isWanted && isFinished(pod) && owner.spec.suspend === true) continue;
    actions.push(deletePod(pod, isWanted ? 'it failed, and another one takes its seat' : 'there is no such seat now', isActive(pod)));
  }
  for (const { slot, text } of seats.filter((seat) => wanted.has(seat.slot) && !pods.has(seat.slot))) {
    const name = ensemble.nameOfSlot(owner, slot);
    if (held?.has(nameKeyOf(PODS, name))) why.push(`${name} belongs to somebody else`);
    else if (!isHeldUp && head.holdUntilMs === undefined)
      actions.push(createPod(owner, { slot, number: head.ordinal }, { name, text, kept }));
  }
  const againSeconds = heldMs > 0 ? heldMs / 1000 : held ? TAKEN_AGAIN_SECONDS : undefined;
  const events = actions.flatMap((action) => (action.verb === 'create' ? [createdEvent(owner, action.object.metadata.name ?? '')] : []));
  return { actions: [...actions, ...events], why, againSeconds };
}

function createPod(
  owner: Ensemble,
  child: { slot: number; number: number },
  { name, text, kept }: { name: string; text: string; kept: Kept },
): Action {
  const [, failures] = kept.failures[child.slot] ?? [];
  const labels = { [ensemble.SEAT_LABEL]: text, ...(failures !== undefined && { [ensemble.RESTARTS_LABEL]: String(failures) }) };
  const object = {
    ...ensemble.belonging(owner, PODS, { name, labels, annotations: { [CHILD_NUMBER]: String(child.number) } }),
    spec: { restartPolicy: 'Never', containers: [{ name: 'player', image: 'example.com/player' }] },
  };
  return { verb: 'create', resource: PODS, object, child, why: `nobody has the seat ${text}` };
}

const deletePod = ({ namespace, name, uid, resourceVersion }: PodFacts, why: string, active: boolean): Action => ({
  verb: 'delete',
  resource: PODS,
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  name,
  uid,
  active,
  ...(active && { resourceVersion }),
  why,
});

const deleteChild = (resource: Resource, { namespace, name, uid }: ChildState): Action => ({
  verb: 'delete',
  resource,
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  namespace,
  name,
  uid,
  active: false,
  why: 'nothing needs it any more',
});

const createdEvent = (owner: Ensemble, about: string): Action => ({
  ...eventOf(owner, 'Normal', 'SuccessfulCreatePod', `Created pod: ${about}`),
  about,
});

/** A service for each seat, the order of those that play, and an autoscaler if the cluster has them. */
function besidesOf(given: Given, seats: readonly Seat[], pods: ReadonlyMap<number, PodFacts>): Action[] {
  const { owner, children } = given;
  const { name = '' } = owner.metadata;
  const services = seats.map(({ slot, text }) => {
    const selector = { [ensemble.ENSEMBLE_LABEL]: name, [ensemble.SEAT_LABEL]: text };
    return { name: ensemble.nameOfSlot(owner, slot), part: { selector }, body: { spec: { selector, ports: [{ port: 80 }] } } };
  });
  const playing = [...pods.values()].filter(({ phase, deletedAt }) => phase === 'Running' && deletedAt === undefined);
  const data = {
    order: playing
      .map((pod) => pod.name)
      .toSorted()
      .join('\n'),
  };
  const most = owner.spec.encore ?? 1;
  const scaleTargetRef = { apiVersion: ensemble.ENSEMBLES.apiVersion, kind: ensemble.ENSEMBLES.kind, name };
  const scaler = { name, part: { most }, body: { spec: { minReplicas: 1, maxReplicas: most, scaleTargetRef } } };
  return [
    ...wantedOf(given, ensemble.SERVICES, services),
    ...wantedOf(given, ensemble.CONFIG_MAPS, [{ name: `${name}-order`, part: partOfData(data), body: { data } }]),
    ...(children?.has(resourceKeyOf(ensemble.AUTOSCALERS)) ? wantedOf(given, ensemble.AUTOSCALERS, [scaler]) : []),
  ];
}

/** What is missing is made, what differs is put right, a label that somebody took off comes back (trap 1), the rest goes. */
function wantedOf(given: Given, resource: Resource, wanted: readonly { name: string; part: Json; body: object }[]): Action[] {
  const { owner, children, held } = given;
  const known = new Map(living(children, resource).map((child) => [child.name, child]));
  const label = { [ensemble.ENSEMBLE_LABEL]: owner.metadata.name ?? '' };
  const actions = wanted.flatMap(({ name, part, body }): Action[] => {
    const child = known.get(name);
    known.delete(name);
    if (!child && held?.has(nameKeyOf(resource, name))) return [];
    if (!child)
      return [
        {
          verb: 'create',
          resource,
          object: { ...ensemble.belonging(owner, resource, { name }), ...body },
          why: 'it is missing',
        },
      ];
    const isRight =
      child.labels?.[ensemble.ENSEMBLE_LABEL] === owner.metadata.name && JSON.stringify(child.part.facts) === JSON.stringify(part);
    if (isRight || child.terminating) return [];
    const { apiVersion, kind } = resource;
    const target = { apiVersion, kind, namespace: child.namespace, name, uid: child.uid };
    const patch = { ...body, metadata: { labels: label } };
    return [{ verb: 'patch', resource, ...target, purpose: 'correct', canBeTakenBack: true, type: 'merge', patch, why: 'it differs' }];
  });
  const surplus = [...known.values()].filter(({ terminating }) => !terminating);
  return [...actions, ...surplus.map((child) => deleteChild(resource, child))];
}

/** After the end: what still runs is stopped; services and autoscaler go; ended pods and the order stay. */
function cleanUp(given: Given): Action[] {
  const isHeld = given.head.deleteHoldUntilMs !== undefined;
  const running = [...given.pods].filter((pod) => isOwn(given, pod) && isActive(pod) && !isHeld);
  return [
    ...running.map((pod) => deletePod(pod, 'the ensemble has ended without it', true)),
    ...[ensemble.SERVICES, ensemble.AUTOSCALERS].flatMap((resource) =>
      living(given.children, resource).flatMap((child) => (child.terminating ? [] : [deleteChild(resource, child)])),
    ),
  ];
}

function conditionsOf({ conditions = [] }: EnsembleStatus, phase: EnsembleStatus['phase'], now: Date): Condition[] {
  const type = phase === 'Complete' || phase === 'Failed' ? phase : 'Playing';
  const wanted = phase === 'Pending' || phase === 'Suspended' ? 'False' : 'True';
  const before = conditions.find((condition) => condition.type === type);
  if (before?.status === wanted) return conditions.map(conditionInOrder);
  const lastTransitionTime = timeOf(Math.floor(now.getTime() / 1000));
  return [...conditions.filter((condition) => condition.type !== type), { type, status: wanted, lastTransitionTime }].map(conditionInOrder);
}

/** As a server may answer its fields in another order. */
const conditionInOrder = ({ type, status, lastTransitionTime }: Condition): Condition => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? '',
});
const inOrder = ({ phase, ready = {}, restarts, conditions = [] }: EnsembleStatus): object => ({
  phase,
  ready: Object.fromEntries(ensemble.ROLES.map((role) => [role, ready[role]])),
  restarts,
  conditions: conditions.map(conditionInOrder),
});

function statusAction(owner: Ensemble, status: EnsembleStatus): Action[] {
  const isFinal = status.phase === 'Complete' || status.phase === 'Failed' || owner.status?.phase !== status.phase;
  return [{ verb: 'status', status, ...(isFinal && { isFinal }), why: `it is ${status.phase}` }];
}

const eventOf = (owner: Ensemble, type: 'Normal' | 'Warning', reason: string, message: string): EventAction => ({
  verb: 'event',
  type,
  reason,
  message,
  regarding: ensemble.targetOf(owner),
  why: 'people follow it by its events',
});
