// Decides about an ensemble: who takes which seat, what stands beside the pods, how it ends.
import * as v from 'valibot';
import { isActive, isFinished, isReady, timeOf, type PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../../../lib/objects/resources.ts';
import * as make from '../../../../lib/kinds/rows/actions.ts';
import { readKeyOf, type Action, type NewPlan, type ReadWant, type Snapshot } from '../../../../lib/kinds/rows/plan.ts';
import { definePlanner } from '../../../../lib/kinds/rows/planner-row.ts';
import * as ensemble from './ensemble.ts';
import type { Ensemble, EnsembleStatus, Seat } from './ensemble.ts';
import { ensembleFacts } from './facts.ts';

/** Failures made good, by slot: the number of the latest failed pod, and how many there were. Read twice, a failure counts once (trap 5). */
const Kept = v.object({ failures: v.record(v.string(), v.tuple([v.number(), v.number()])) });
type Kept = v.InferOutput<typeof Kept>;
type Given = Snapshot<Ensemble, Kept>;
type EnsemblePlan = NewPlan<EnsembleStatus, Kept>;

/** A name that somebody else has is tried again after this time: nothing tells of that object. */
const TAKEN_AGAIN_SECONDS = 3;

const isOver = (owner: Ensemble): boolean => ensembleFacts.isFinished(owner);

export const ensembleRow = definePlanner<Ensemble, EnsembleStatus, Kept>({
  plan,
  // Trap 2: the API server would delete them too, a while later.
  afterOwner: ({ pods, children }) => {
    const actions = [
      ...pods.filter(isActive).map((pod) => make.deletePodAction(pod, 'its ensemble is gone', { active: false })),
      ...ensembleFacts.children.flatMap(({ resource }) =>
        make.deleteChildActions(resource, make.childrenIn({ children }, resource), 'its ensemble is gone'),
      ),
    ];
    return { actions, isDone: pods.length === 0 && actions.length === 0 };
  },
  status: { patchOf: (status) => status, childrenIn: () => [], debouncedFields: ['ready'] },
  metrics: {
    ofStatus: (before, after) =>
      isOver(before) || !isOver(after)
        ? []
        : [{ metric: 'ensembles_finished_total', value: 1, labels: { result: after.status?.phase ?? '' } }],
  },
  kept: { schema: Kept },
});

function plan(given: Given, now: Date): EnsemblePlan {
  const { owner, manages } = given;
  const before = owner.status ?? {};
  if (!ensembleFacts.isManaged(owner, manages)) return { actions: [], outcome: 'notOurs', why: ['somebody else manages it'] };
  if (owner.metadata.deletionTimestamp !== undefined) return { actions: [], why: ['it is being deleted, and all that it owns with it'] };
  if (isOver(owner)) return { actions: cleanUp(given), why: ['the ensemble has ended'] };
  const { wants, missing } = scoreOf(given);
  if (wants.length > 0) return { actions: [], wants, why: ['it has yet to read its score'] };
  const pods = podsBySlot(given);
  const kept = failuresOf(given, pods);
  const restarts = Object.values(kept.failures).reduce((sum, [, count]) => sum + count, 0);
  const seats = ensemble.seatsOf(owner);
  const lead = seats.filter(({ role }) => role === seats[0]?.role);
  const isComplete = lead.length > 0 && lead.every(({ slot }) => pods.get(slot)?.phase === 'Succeeded');
  const phase = isComplete ? 'Complete' : restarts > (owner.spec.restartLimit ?? 3) ? 'Failed' : phaseOf(given, pods);
  const readyIn = (role: ensemble.Role): number =>
    seats.filter((seat) => seat.role === role && [pods.get(seat.slot)].some((pod) => pod && isReady(pod))).length;
  const ready = { strings: readyIn('strings'), winds: readyIn('winds') };
  const status: EnsembleStatus = { phase, ready, restarts, conditions: conditionsOf(before, phase, now) };
  const writes = make.statusActions(owner, status, `it is ${phase}`, before.phase !== phase);
  if (phase === 'Complete' || phase === 'Failed') {
    const type = isComplete ? 'Normal' : 'Warning';
    const event = make.ownerEvent(ensembleFacts, owner, { type, reason: `Ensemble${phase}`, message: `restarts: ${restarts}` });
    return { actions: [...writes, event], status, continues: true, why: [`it is ${phase}`] };
  }
  const seating = seatingOf(given, pods, { seats, kept, isHeldUp: missing !== undefined });
  const againSeconds = seating.againSeconds ?? (missing === undefined ? undefined : TAKEN_AGAIN_SECONDS);
  return {
    actions: [...make.inWaves(seating.actions), ...besidesOf(given, seats, pods), ...writes],
    status,
    why: missing !== undefined ? [`its score ${missing} is not there`] : [...seating.why, `it is ${phase}`],
    ...(againSeconds !== undefined && { requeueAfterSeconds: againSeconds }),
    head: { kept },
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

function phaseOf({ owner }: Given, pods: ReadonlyMap<number, PodFacts>): 'Suspended' | 'Playing' | 'Pending' {
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
  const failures = { ...kept?.failures };
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
}

/** Pods to make and to delete. A seat whose name is taken waits; the others go on (trap 6). */
function seatingOf(given: Given, pods: ReadonlyMap<number, PodFacts>, { seats, kept, isHeldUp }: Seating) {
  const { owner, head } = given;
  const wanted = seats.filter(() => owner.spec.suspend !== true);
  const slots = new Set(wanted.map(({ slot }) => slot));
  const leaving = [...pods].filter(([slot, pod]) => {
    if (pod.deletedAt !== undefined || head.deleteHoldUntilMs !== undefined) return false;
    return slots.has(slot) ? pod.phase === 'Failed' : owner.spec.suspend !== true || !isFinished(pod);
  });
  const open = wanted.filter(({ slot }) => !pods.has(slot));
  const isTaken = ({ slot }: Seat): boolean => make.isHeld(given, PODS, ensemble.nameOfSlot(owner, slot));
  const taken = open.filter(isTaken);
  const openings = isHeldUp || head.holdUntilMs !== undefined ? [] : open.filter((seat) => !isTaken(seat));
  return {
    actions: [
      ...leaving.map(([slot, pod]) =>
        make.deletePodAction(pod, slots.has(slot) ? 'it failed, and another one takes its seat' : 'there is no such seat now'),
      ),
      ...openings.flatMap((seat) => createActions(owner, seat, head.ordinal, kept)),
    ],
    why: taken.map(({ slot }) => `${ensemble.nameOfSlot(owner, slot)} belongs to somebody else`),
    againSeconds: given.held ? TAKEN_AGAIN_SECONDS : undefined,
  };
}

function createActions(owner: Ensemble, { slot, text }: Seat, number: number, kept: Kept): Action[] {
  const [, failures] = kept.failures[slot] ?? [];
  const labels = { [ensemble.SEAT_LABEL]: text, ...(failures !== undefined && { [ensemble.RESTARTS_LABEL]: String(failures) }) };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'player', image: 'example.com/player' }] };
  return make.createPodActions(ensembleFacts, owner, { slot, number }, { metadata: { labels }, spec }, `nobody has the seat ${text}`);
}

/** A service for each seat, the order of those that play, and an autoscaler if the cluster has them. */
function besidesOf(given: Given, seats: readonly Seat[], pods: ReadonlyMap<number, PodFacts>): Action[] {
  const { owner } = given;
  const { name = '' } = owner.metadata;
  const services = seats.map(({ slot, text }) => {
    const selector = { [ensemble.ENSEMBLE_LABEL]: name, [ensemble.SEAT_LABEL]: text };
    return { metadata: { name: ensemble.nameOfSlot(owner, slot) }, spec: { selector, ports: [{ port: 80 }] } };
  });
  const playing = [...pods.values()].filter(({ phase, deletedAt }) => phase === 'Running' && deletedAt === undefined);
  const order = playing.map((pod) => pod.name).toSorted();
  const { apiVersion, kind } = ensemble.ENSEMBLES;
  const scaling = { minReplicas: 1, maxReplicas: owner.spec.encore ?? 1, scaleTargetRef: { apiVersion, kind, name } };
  return [
    ...make.childActions(ensembleFacts, given, ensemble.SERVICES, services),
    ...make.childActions(ensembleFacts, given, ensemble.CONFIG_MAPS, [
      { metadata: { name: `${name}-order` }, data: { order: order.join('\n') } },
    ]),
    ...make.childActions(ensembleFacts, given, ensemble.AUTOSCALERS, [{ metadata: { name }, spec: scaling }]),
  ];
}

/** After the end: what still runs is stopped; services and autoscaler go; ended pods and the order stay. */
function cleanUp(given: Given): Action[] {
  const isHeld = given.head.deleteHoldUntilMs !== undefined;
  const running = [...given.pods].filter((pod) => isOwn(given, pod) && isActive(pod) && !isHeld);
  return [
    ...running.map((pod) => make.deletePodAction(pod, 'the ensemble has ended without it')),
    ...[ensemble.SERVICES, ensemble.AUTOSCALERS].flatMap((resource) =>
      make.deleteChildActions(resource, make.childrenIn(given, resource), 'the ensemble has ended'),
    ),
  ];
}

function conditionsOf(
  { conditions = [] }: EnsembleStatus,
  phase: EnsembleStatus['phase'],
  now: Date,
): NonNullable<EnsembleStatus['conditions']> {
  const type = phase === 'Complete' || phase === 'Failed' ? phase : 'Playing';
  const wanted = phase === 'Pending' || phase === 'Suspended' ? 'False' : 'True';
  const before = conditions.find((condition) => condition.type === type);
  if (before?.status === wanted) return conditions;
  const lastTransitionTime = timeOf(Math.floor(now.getTime() / 1000));
  return [...conditions.filter((condition) => condition.type !== type), { type, status: wanted, lastTransitionTime }];
}
