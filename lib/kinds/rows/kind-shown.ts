// How a kind's workloads are displayed: in lists, by `explain`, on the console, by `up --apply`. Only the kind's row knows which fields of
// spec and status the values come from.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { Manages } from '../../objects/manages.ts';
import type { IndexStates, ReplicaType } from '../../objects/detail/workload-map.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { reasonOf } from './define-facts.ts';
import type { KindFacts } from './kind.ts';
import type { PlanHead, Snapshot } from './plan.ts';
import { knownBackoff, type StoredBackoff } from './planner-row.ts';
import { COMMON_REASONS, counted, type Circumstances, type Reason } from './reasons.ts';
import type { ReasonState, Standing } from './state.ts';
import { usualReasonsOf, usualStandingOf } from './usual-reasons.ts';

/** A number about a workload: a column of a list, or part of a sentence. */
export interface Figure {
  /** One word in lower case, such as `succeeded`. */
  name: string;
  value: number;
  /** The target of the number, if it has one. */
  of?: number;
  /** Shown only on the workload's own page. */
  isMinor?: true;
}

/** A field of the owner that the API's JSON contains unchanged, in addition to the fields of every kind. */
export interface ShownField {
  name: string;
  in: 'spec' | 'status';
  is: 'count' | 'time' | 'text';
}

/** The words for a patch, by its action's `purpose`. */
export interface PatchPurpose {
  /** An imperative; kind and name of the object follow. */
  does: string;
  /** Continues a sentence after "the API server refused to". */
  refusedTo: (target: string) => string;
  /** Why the object is not deleted if this patch is refused; the object's name follows. */
  keeps?: string;
}

export interface KindShown<Owner extends WorkloadObject = WorkloadObject> {
  /** The codes of its own reasons, each with its state. The state counts if no reason before it has one. */
  reasons: Readonly<Record<string, ReasonState | undefined>>;
  /** All reasons that hold, most important first; never empty. */
  reasonsOf(snapshot: Snapshot<Owner>, now: Date, circumstances: Circumstances): Reason[];
  /** The failures in a row that count for this owner, as its planner would get them. */
  knownBackoff(stored: StoredBackoff, owner: Owner): PlanHead['backoff'];
  /** The work left for pods without an owner. @param owner `none`: they never had one */
  lettingGoText(held: readonly PodFacts[], owner: 'gone' | 'none'): string;

  /** The state in the owner itself, which overrides all reasons: how it ended, or that it is suspended. */
  standingOf(owner: Owner): Standing | undefined;
  /** Whether it has running or ended pods. Asked only if no reason has a state. */
  isUnderWay(owner: Owner): boolean;

  fields: readonly ShownField[];
  /** @param owner undefined if gone or unknown. The figures are the same, without the numbers that only the owner has */
  figuresOf(owner: Owner | undefined): Figure[];

  /** The states of its indexes; undefined for an owner without. @param lengths of those that succeeded, as a head keeps them */
  indexesOf?(owner: Owner, pods: Iterable<PodFacts>, about: { nowMs: number; lengths?: string | undefined }): IndexStates | undefined;
  /** Its replicas by type, in the order in which they start; absent for a kind without. */
  replicasOf?(owner: Owner, pods: Iterable<PodFacts>): ReplicaType[];
  /** The replica type and the index that a pod of its own stands for, as far as it says. Absent: a completion index alone. */
  placeOf?(pod: PodFacts): { type?: string; index?: string };

  purposes: Readonly<Record<string, PatchPurpose>>;
  /** Reasons of Events that are emitted once per pod. */
  eventsPerPod: ReadonlySet<string>;
  /** Fields of the status that a person does not need. */
  hiddenStatus: ReadonlySet<string>;

  /** Why Farloop does not manage an object in one of its namespaces, and what to do: sentences, the last without a full stop. */
  unmanagedText(object: Unmanaged): string;
  /** A clause about the owners that Farloop manages, given these words; undefined if it manages all of them. */
  ownOnlyText: (manages: Manages) => string | undefined;
}

export interface Unmanaged {
  /** The manager that the object names. */
  managedBy?: string | undefined;
  /** The manager that its manifest names, if it was applied from one. */
  wanted?: string | undefined;
  manages: Manages;
}

/** Words for the patches of actions.ts. */
const USUAL_PURPOSES: Readonly<Record<string, PatchPurpose>> = {
  adopt: { does: 'adopt', refusedTo: (target) => `adopt ${target}` },
  release: { does: 'release', refusedTo: (target) => `release ${target}` },
  correct: { does: 'correct', refusedTo: (target) => `correct ${target}` },
};

/**
 * Erases the owner's type, once. Callers must pass a row only owners of its kind. Of what a kind says nothing, its workloads are displayed by
 * conditions, pods and circumstances.
 */
export function defineShown<Owner extends WorkloadObject>(facts: KindFacts, said: Partial<KindShown<Owner>> = {}): KindShown {
  const { kind, resource, settings } = facts;
  const shown = said as Partial<KindShown>;
  const words = settings.map(({ word }) => word);
  return {
    reasons: {},
    reasonsOf: (snapshot, now, circumstances) => usualReasonsOf(facts, snapshot, now, circumstances),
    knownBackoff,
    lettingGoText: (held) =>
      held.length === 0
        ? `the ${kind} is gone: nothing is left to do`
        : `the ${kind} is gone: the API server deletes ${counted(held.length, 'pod', 'pods')} of it`,
    standingOf: usualStandingOf,
    isUnderWay: (owner) => facts.hasStarted(owner),
    fields: [],
    figuresOf: () => [],
    eventsPerPod: new Set([reasonOf('Successful', 'Create', 'Pod'), reasonOf('Successful', 'Delete', 'Pod')]),
    hiddenStatus: new Set(),
    unmanagedText: ({ managedBy, manages }) => {
      if (managedBy !== undefined) return `its spec.managedBy is ${JSON.stringify(managedBy)}, so that controller has it`;
      return words.some((word) => manages.includes(word))
        ? 'Farloop does not manage it'
        : `${resource.plural} are managed only where "farloop up" or "farloop cluster add" is given --manage ${words.join(' or ')}`;
    },
    ownOnlyText: () => undefined,
    ...shown,
    purposes: { ...USUAL_PURPOSES, ...shown.purposes },
  };
}

export interface Known {
  shown: Pick<KindShown, 'reasons' | 'standingOf' | 'isUnderWay'>;
  /** Whether workloads of its kind have no owners. */
  isOwnerless: boolean;
  /** Undefined: gone or unknown. */
  owner: WorkloadObject | undefined;
  /** Whether the state that its passes keep can be read. */
  isKnown: boolean;
  /** Why it is parked; undefined if it is not. */
  parked?: string | undefined;
  /** Most important first. */
  reasons: readonly Reason[];
}

export function standingOf({ shown, isOwnerless, owner, isKnown, parked, reasons }: Known): Standing {
  if (parked !== undefined) return { state: 'Parked', reason: parked };
  if (isOwnerless) return { state: 'Orphan' };
  if (!owner || !isKnown) return { state: 'Unknown' };
  const told = shown.standingOf(owner);
  if (told?.state === 'Succeeded' || told?.state === 'Failed') return told;
  if (owner.metadata.deletionTimestamp !== undefined) return { state: 'Terminating' };
  if (told) return told;
  const standings = reasons.flatMap((reason) => standingBy(reason, shown) ?? []);
  const running = standings.find(({ state }) => state === 'Running');
  if (running) return running;
  const [standing = { state: 'Pending' as const }] = standings;
  if (standing.state !== 'Pending') return standing;
  // A workload may have no pod for a moment, or its pods may be unknown here (TooLargeForView). Its status then decides.
  const hasBegun = shown.isUnderWay(owner) || reasons.some(({ code }) => code === 'PodsEnded');
  return { state: hasBegun ? 'Running' : 'Pending' };
}

/** The cluster's word for a container that restarts again and again. */
const RESTARTS_LATER = 'CrashLoopBackOff';

/** @returns undefined for a reason without a state, such as a deadline */
function standingBy({ code, podReason, trouble }: Reason, { reasons }: Known['shown']): Standing | undefined {
  const state = ownEntry(reasons, code) ?? ownEntry<Standing['state'] | undefined>(COMMON_REASONS, code);
  if (code === 'PodsWaiting' && podReason === RESTARTS_LATER) return { state: 'BackingOff', reason: podReason };
  if (state === undefined || state !== 'Waiting') return state && { state, ...(trouble !== undefined && { reason: trouble }) };
  // In other reasons `podReason` is evidence with a message. It does not name what the workload waits for.
  const isOfPods = code === 'PodsWaiting' || code === 'PodsDisrupted';
  return { state, reason: (isOfPods ? podReason : undefined) ?? code };
}
