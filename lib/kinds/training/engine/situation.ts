// The situation of a job in a pass: what is known of it, how its pods are judged by that, and what its framework does about it.
import type { ChildState } from '../../../objects/child-state.ts';
import { resourceKeyOf } from '../../../objects/child-state.ts';
import type { Resource } from '../../../objects/resources.ts';
import type { Action, Plan, Snapshot } from '../../rows/plan.ts';
import type { NewEvent } from '../objects/actions.ts';
import type { Failures } from '../status/backoff.ts';
import type { Counts, Framework, Terms } from '../terms/framework.ts';
import type { GangScheduler } from '../objects/gang.ts';
import type { TrainingJob, TrainingStatus } from '../terms/job-types.ts';
import type { Kept } from '../memory/kept.ts';
import type { Reports } from '../memory/reports.ts';
import type { Placed, Present } from '../objects/present-pods.ts';
import type { ExitCode } from '../status/restarts.ts';
import type { TrainingSettings } from '../names/settings.ts';

export type Given = Snapshot<TrainingJob>;
export type TrainingPlan = Plan<TrainingStatus>;
export type Checked = NonNullable<Kept['checked']>;

/** All that is known of a job that goes on. */
export interface Situation {
  given: Given;
  terms: Terms;
  steps: Steps;
  settings: TrainingSettings;
  gang: GangScheduler | undefined;
  present: Present;
  kept: Kept;
  checked: Checked;
  nowMs: number;
  /** RFC 3339. */
  time: string;
}

export const livingIn = ({ given }: Pick<Situation, 'given'>, resource: Resource): readonly ChildState[] =>
  given.children?.get(resourceKeyOf(resource)) ?? [];

export interface Judged extends Placed {
  code: ExitCode;
  /** It failed, and is made anew, or ends the job, or is left to the rules of the kind. */
  answer?: 'restart' | 'fail' | 'stay' | undefined;
}

export interface Judgement {
  slots: ReadonlyMap<number, Judged>;
  failures: Failures;
  /** Slots that have succeeded, with those whose pod is gone. */
  completed: ReadonlySet<number>;
  /** Completed slots as the job's annotation is to hold them; undefined: as it does. */
  toRemember?: string;
  counts: Counts;
  /** Failed slots that restart: those that count as reported from now on. */
  restarting: ReadonlySet<number>;
  /** The pod of the leader has ended. Never without a leader. */
  isLeaderOver: boolean;
}

/** The steps of a framework in a pass over a job that runs. Most frameworks have the usual ones. */
export interface Steps {
  /** Makes the pods and the objects that are missing. */
  fill(this: void, situation: Situation, judgement: Judgement, allowance: Allowance): Filled;
  /** Actions of the pass in which the job ends. It makes nothing more. Absent: none. */
  atEnd?(this: void, situation: Situation, judgement: Judgement, reports: Reports): Action[];
  /** Findings in the job's objects, kept beside those in its templates. */
  findingsIn?(this: void, situation: Situation): Partial<Checked>;
  /** Why the job has failed, which its counts do not show; undefined: it has not. */
  failureIn?(this: void, situation: Situation, judgement: Judgement): { reason: string; message: string } | undefined;
  /** Events about the pods as a whole. */
  events?(this: void, situation: Situation, judgement: Judgement, reports: Reports): NewEvent[];
  /** Events of the job's end beside the one of its condition. */
  endEvents?(this: void, situation: Situation, judgement: Judgement): NewEvent[];
}

export interface Allowance {
  reports: Reports;
  /** Whether pods may be made now. */
  mayCreate: boolean;
  /** Seconds until creates are tried again after a refusal; 0 or less: now. */
  createHold: number;
}

export interface Filled {
  actions: Action[];
  /** Seconds, each until something is looked at again. */
  waits: number[];
  /** Pods cannot be made without templates. */
  needsTemplates: boolean;
  /** The next pass follows at once. */
  continues?: boolean;
  problem?: string;
}

/** A framework with its steps; absent: the usual ones. */
export interface PlannedFramework extends Framework {
  steps?: Steps;
}
