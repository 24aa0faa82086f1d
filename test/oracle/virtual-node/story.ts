// A story: pods on the node `edge`, what happens to them, and what their provider says. It is played in a namespace of its name.
import type { KubernetesObject, PodStatus } from '../../../lib/objects/kubernetes.ts';
import type { Answer, Call } from './scripted-provider.ts';

export interface Story {
  name: string;
  /** The controller ends in it once, and begins anew: these are played after the others, and it is the same end for all. */
  restarts?: true;
  steps: readonly Step[];
}

export interface Step {
  /** As it is recorded. */
  says: string;
  act: (acts: Acts) => Promise<void>;
}

/** Pods are named within the story. */
export interface Acts {
  create: (object: KubernetesObject) => Promise<void>;
  pod: (name: string, spec?: object, metadata?: object) => Promise<void>;
  /** A merge patch. */
  change: (name: string, patch: object, subresource?: 'status') => Promise<void>;
  remove: (name: string, gracePeriodSeconds?: number) => Promise<void>;
  /** The provider's next answers to a call about that pod. */
  answers: (name: string, call: Call, answers: readonly Answer[]) => void;
  /** How the provider's task of the pod is from now on; `undefined`: it knows none any more. */
  task: (name: string, status: PodStatus | undefined) => void;
  /** A deleted task of the pod ends only when `task` says so. */
  endsSlowly: (name: string) => void;
  /** A task of which the cluster knows nothing. */
  stray: (name: string) => void;
  /** Ends the controller, and begins it anew after that. */
  restart: (meanwhile?: () => Promise<void>) => Promise<void>;
  /** @throws Error when that has not come about within two minutes */
  waitFor: (what: string, holds: () => boolean) => Promise<void>;
  /** `gone` once it is. */
  phaseOf: (name: string) => string | undefined;
  /** The provider was asked that about the pod, so many times at least. */
  wasCalled: (name: string, call: Call, times?: number) => boolean;
}

const AT = '2026-01-01T00:00:00Z';

export const running = (names: readonly string[] = ['main'], more: object = {}): PodStatus => ({
  phase: 'Running',
  startTime: AT,
  podIP: '10.64.0.9',
  conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: AT })),
  containerStatuses: names.map((name) => ({ name, ready: true, started: true, restartCount: 0, state: { running: { startedAt: AT } } })),
  ...more,
});

export const ended = (exitCode: number, names: readonly string[] = ['main']): PodStatus => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  startTime: AT,
  conditions: [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: AT },
    { type: 'Ready', status: 'False', reason: exitCode === 0 ? 'PodCompleted' : 'PodFailed', lastTransitionTime: AT },
  ],
  containerStatuses: names.map((name) => ({
    name,
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: AT, finishedAt: AT } },
  })),
});

export const pending = (names: readonly string[] = ['main']): PodStatus => ({
  phase: 'Pending',
  startTime: AT,
  conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: AT }],
  containerStatuses: names.map((name) => ({ name, ready: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } })),
});
