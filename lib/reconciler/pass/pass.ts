// One pass while it runs. What it knows, what it has decided and what it will write are three values.
import type { Counted } from '../../objects/upstream-metrics.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { Action, Plan, Snapshot } from '../../kinds/rows/plan.ts';
import type { PlannerRow, SyncLabels } from '../../kinds/rows/planner-row.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { NotDoneError } from '../../ports/errors.ts';
import type { PassRecord } from '../../ports/recorder.ts';
import type { UpdatedHead } from '../../ports/store.ts';
import { durableText } from '../head/kept.ts';
import type { Child, PassState } from '../head/pass-state.ts';
import { Knowledge } from './knowledge.ts';
import type { PassContext } from './pass-context.ts';

/** The input of a planner, and its plan. */
export interface Planned {
  given: Snapshot<WorkloadObject>;
  nowMs: number;
  plan: Plan<object>;
}

/** The plans of a pass, and their outcomes. */
export interface Decided {
  /** The latest decision and its input, for the flight recorder. */
  planned: Planned | undefined;
  readonly why: string[];
  readonly actions: PassRecord['actions'];
  /** Set once the pass is one of upstream's syncs: what the first plan did. */
  sync: SyncLabels | undefined;
  /** At least one status write of the latest plan succeeded. */
  wroteStatus: boolean;
  /** Objects whose names creates of the latest plan found taken. The pass plans again from them. */
  namesakes: { resource: Resource; name: string; isForeign: boolean }[];
  /** The API server found a status of this pass invalid. */
  wasRefused: boolean;
  /** The API server refused to change a child, or to delete the owner. */
  wasHindered: boolean;
}

/** Writes of a pass to head and telemetry before it ends. Its observations are part of its knowledge. */
export interface Pending {
  /** As last read or written. Its fence may be a later pass's by then. */
  head: UpdatedHead;
  state: PassState;
  /** The part of the head's state that must be durable before a plan that changes it is carried out, as the head has it. */
  durable: string;
  /** Creates without an answer that a look did not find. They may yet take effect, so their intents stay (R6). */
  readonly unanswered: Child[];
  /** Sent when the pass ends. */
  readonly events: Extract<Action, { verb: 'event' }>[];
  /** For upstream's metrics: what the API server confirmed in this pass. */
  readonly counted: Counted[];
}

export class Pass implements PassContext {
  readonly key: WorkloadKey;
  readonly record: ClusterRecord;
  /** The facts of its kind. */
  readonly facts: KindFacts;
  readonly row: PlannerRow;
  readonly deadline: Deadline;
  readonly startedAtMs: number;
  /** Counts the tries of work that was put off; 1 if it was not. */
  readonly attempt: number;
  /** A change led to it before the work that was put off was due. */
  readonly isEarly: boolean;
  /** No other pass has acquired the head since the wake was sent. */
  readonly isNext: boolean;
  /** Cluster time minus ours, milliseconds (R12). */
  readonly offsetMs: number;
  /** The pass's id. The pass may write the head only while the head holds this fence (R8). */
  readonly fence: string;
  readonly known: Knowledge;
  readonly decided: Decided = {
    planned: undefined,
    why: [],
    actions: [],
    sync: undefined,
    wroteStatus: false,
    namesakes: [],
    wasRefused: false,
    wasHindered: false,
  };
  readonly pending: Pending;
  readonly #connect: () => Cluster;
  #cluster: Cluster | undefined;

  constructor(
    given: Pick<Pass, 'key' | 'record' | 'facts' | 'row' | 'deadline' | 'startedAtMs' | 'attempt' | 'isEarly' | 'isNext' | 'offsetMs'> &
      Pick<Pending, 'head' | 'state'> & { connect: () => Cluster; known: ConstructorParameters<typeof Knowledge>[1] },
  ) {
    this.key = given.key;
    this.record = given.record;
    this.facts = given.facts;
    this.row = given.row;
    this.#connect = given.connect;
    this.deadline = given.deadline;
    this.startedAtMs = given.startedAtMs;
    this.attempt = given.attempt;
    this.isEarly = given.isEarly;
    this.isNext = given.isNext;
    this.offsetMs = given.offsetMs;
    this.fence = given.head.fence;
    this.known = new Knowledge(this, given.known);
    const { head, state } = given;
    this.pending = { head, state, durable: durableText(state, given.row.kept), unanswered: [], events: [], counted: [] };
  }

  /**
   * A cluster without a way to it is treated like one that does not answer: the trouble is the cluster's, not a workload's (R14). @throws
   * NotDoneError
   */
  get cluster(): Cluster {
    try {
      return (this.#cluster ??= this.#connect());
    } catch (error) {
      throw new NotDoneError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  sawStale(resource: Resource): void {
    this.pending.counted.push(...(this.row.metrics.ofStaleRead?.(resource) ?? []));
  }
}
