// The names of each training kind, for relay, ingest and onboarding. What its planner needs beside them stands in frameworks/.
import type { FurtherRight } from '../../rows/kind.ts';
import { LAUNCHER_OBJECTS, LAUNCHER_RIGHTS, launcherName, type ComparedObject } from './launcher-objects.ts';

export interface FrameworkNames {
  kind: string;
  plural: string;
  /** Label `framework` of metrics. */
  name: string;
  /** Label value, and source of Events. */
  controller: string;
  /** Field of the spec with the replica specs. */
  replicasField: string;
  /** Canonical types, in the order of the API; the index is the role of a slot. */
  types: readonly string[];
  /** Upstream no longer has the kind, so it keeps the behaviour of the base release. */
  isOfBase?: true;
  /** It has the subresource `scale`, so its replica statuses hold the selector. */
  isScalable?: true;
  /** The first type has one pod, whose name is its own and whose labels hold no index. Once that pod is over, no other counts. */
  leader?: { type: string; nameOf(this: void, job: { name: string }): string };
  /** The objects that its pods need. Such a kind has no services. */
  objects?: readonly ComparedObject[];
  /** Rights that those objects grant. */
  rightsToGrant?: readonly FurtherRight[];
  /** Its metrics are scaled by an autoscaler. */
  isAutoscaled?: true;
  /** The rank that its environment tells a replica. Absent: none is known before the pods have found each other. */
  ranks?: Ranks;
}

/**
 * - `masterFirst`: masters, then workers behind them; none without a master, or where an elastic policy lets the pods agree.
 * - `byIndex`: the index.
 */
export type Ranks = 'masterFirst' | 'byIndex';

export const TENSORFLOW: FrameworkNames = {
  kind: 'TFJob',
  plural: 'tfjobs',
  name: 'tensorflow',
  controller: 'tfjob-controller',
  replicasField: 'tfReplicaSpecs',
  types: ['PS', 'Worker', 'Chief', 'Master', 'Evaluator'],
};

export const PYTORCH: FrameworkNames = {
  kind: 'PyTorchJob',
  plural: 'pytorchjobs',
  name: 'pytorch',
  controller: 'pytorchjob-controller',
  replicasField: 'pytorchReplicaSpecs',
  types: ['Master', 'Worker'],
  isScalable: true,
  isAutoscaled: true,
  ranks: 'masterFirst',
};

export const MPI: FrameworkNames = {
  kind: 'MPIJob',
  plural: 'mpijobs',
  name: 'mpi',
  controller: 'mpijob-controller',
  replicasField: 'mpiReplicaSpecs',
  types: ['Launcher', 'Worker'],
  leader: { type: 'Launcher', nameOf: launcherName },
  objects: LAUNCHER_OBJECTS,
  rightsToGrant: LAUNCHER_RIGHTS,
};

export const XGBOOST: FrameworkNames = {
  kind: 'XGBoostJob',
  plural: 'xgboostjobs',
  name: 'xgboost',
  controller: 'xgboostjob-controller',
  replicasField: 'xgbReplicaSpecs',
  types: ['Master', 'Worker'],
  ranks: 'masterFirst',
};

export const PADDLE: FrameworkNames = {
  kind: 'PaddleJob',
  plural: 'paddlejobs',
  name: 'paddle',
  controller: 'paddlejob-controller',
  replicasField: 'paddleReplicaSpecs',
  types: ['Master', 'Worker'],
  isScalable: true,
};

export const MXNET: FrameworkNames = {
  kind: 'MXJob',
  plural: 'mxjobs',
  name: 'mxnet',
  controller: 'mxjob-controller',
  replicasField: 'mxReplicaSpecs',
  types: ['Scheduler', 'Server', 'Worker', 'TunerTracker', 'TunerServer', 'Tuner'],
  isOfBase: true,
};

export const JAX: FrameworkNames = {
  kind: 'JAXJob',
  plural: 'jaxjobs',
  name: 'jax',
  controller: 'jaxjob-controller',
  replicasField: 'jaxReplicaSpecs',
  types: ['Worker'],
  isScalable: true,
  ranks: 'byIndex',
};
