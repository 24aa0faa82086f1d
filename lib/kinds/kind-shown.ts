// What people are shown of a kind's workloads: in lists, by `explain`, on the console, by `up --apply`. Only a kind's own row knows which
// fields of a spec or status these come from.
import type { WorkloadObject } from '../objects/kubernetes.ts';
import type { Manages } from '../objects/manages.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { PlanHead, Snapshot } from './plan.ts';
import type { StoredBackoff } from './planner-row.ts';
import type { Circumstances, Reason } from './reasons.ts';
import type { ReasonState, Standing } from './state.ts';

/** One number about a workload: a column of a list, a part of a sentence. */
export interface Figure {
  /** One word in lower case, such as `succeeded`. */
  name: string;
  value: number;
  /** The number it is to reach, where there is one. */
  of?: number;
  /** Shown only where a workload has a page of its own. */
  isMinor?: true;
}

/** A field of the owner that the API's JSON tells as it stands, beside what it tells of every kind. */
export interface ShownField {
  name: string;
  in: 'spec' | 'status';
  is: 'count' | 'time';
}

/** What a patch is for, by its action's `purpose`. */
export interface PatchPurpose {
  /** As an order, which the object's kind and name follow. */
  does: string;
  /** As a sentence goes on after "the API server refused to". */
  refusedTo: (target: string) => string;
  /** Why the object is not deleted where this is refused, which the object's name follows. */
  keeps?: string;
}

export interface KindShown<Owner extends WorkloadObject = WorkloadObject> {
  /** The codes of its own reasons, each with the state that it means where nothing more telling holds. */
  reasons: Readonly<Record<string, ReasonState | undefined>>;
  /** Why a workload stands where it stands, the most telling first; never empty. */
  reasonsOf(snapshot: Snapshot<Owner>, now: Date, circumstances: Circumstances): Reason[];
  /** Its failures in a row as they hold for this owner: what its planner would be given. */
  knownBackoff(stored: StoredBackoff, owner: Owner): PlanHead['backoff'];
  /** What is left to do for pods that no owner has. @param owner `none`: they never had one */
  lettingGoText(held: readonly PodFacts[], owner: 'gone' | 'none'): string;

  /** The state that the owner itself tells, whatever its reasons are: how it ended, that it is suspended. */
  standingOf(owner: Owner): Standing | undefined;
  /** Whether it has pods that run or have ended, where no reason tells. */
  isUnderWay(owner: Owner): boolean;

  fields: readonly ShownField[];
  /** @param owner undefined where it is gone or not known: the figures are the same, without what only it tells */
  figuresOf(owner: Owner | undefined): Figure[];

  purposes: Readonly<Record<string, PatchPurpose>>;
  /** Reasons of Events of which there is one for each pod. */
  eventsPerPod: ReadonlySet<string>;
  /** Fields of the status that a person has no use for. */
  hiddenStatus: ReadonlySet<string>;

  /** Why Farloop does not manage an object of a namespace that it works in, and what to do: sentences, the last without a full stop. */
  unmanagedText(object: Unmanaged): string;
  /** Which of its owners alone Farloop takes on a cluster that manages this, as a clause; undefined where it takes all of them. */
  ownOnlyText: (manages: Manages) => string | undefined;
}

export interface Unmanaged {
  /** Whom the object names as its manager. */
  managedBy?: string | undefined;
  /** Whom its manifest names, where it was applied from one. */
  wanted?: string | undefined;
  manages: Manages;
}

/** Types are erased here, once: whoever asks a row gives it owners of its kind. */
export const defineShown = <Owner extends WorkloadObject>(shown: KindShown<Owner>): KindShown => shown;
