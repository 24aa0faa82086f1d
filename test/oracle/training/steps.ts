// The steps that stories are made of.
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { Changed, PodReport, Step } from './story.ts';

const reported =
  (report: PodReport, says: string) =>
  (...pods: string[]): Step => ({
    says: `${pods.join(', ')} ${says}`,
    act: async (stage) => {
      for (const pod of pods) await stage.report(pod, report);
    },
  });

export const runs = reported({ phase: 'Running' }, 'running');
export const succeeds = reported({ phase: 'Succeeded', exitCode: 0 }, 'succeeded');
export const fails = (exitCode: number, ...pods: string[]): Step =>
  reported({ phase: 'Failed', exitCode }, `failed with ${exitCode}`)(...pods);
export const isEvicted = reported({ phase: 'Failed', reason: 'Evicted' }, 'evicted');
export const restarts = (restartCount: number, ...pods: string[]): Step =>
  reported({ phase: 'Running', restartCount }, `restarted ${restartCount} times`)(...pods);
export const waits = (reason: string, message: string, ...pods: string[]): Step =>
  reported({ phase: 'Pending', waiting: { reason, message } }, `waiting: ${reason}`)(...pods);

export const removed = (kind: string, name: string): Step => ({
  says: `${kind} ${name} deleted`,
  act: async (stage) => await stage.remove(kind, name),
});
export const changed = (says: string, patch: object, of?: Changed): Step => ({
  says,
  act: async (stage) => await stage.change(patch, of),
});
export const suspended = changed('suspended', { spec: { runPolicy: { suspend: true } } });
export const resumed = changed('resumed', { spec: { runPolicy: { suspend: false } } });
export const created = (object: KubernetesObject): Step => ({
  says: `${object.kind} ${object.metadata.name} created`,
  act: async (stage) => await stage.create(object),
});
export const letGo = (...pods: string[]): Step => ({
  says: `${pods.join(', ')} let go`,
  act: async (stage) => pods.forEach((pod) => stage.letGo(pod)),
});

/** What volcano does once there is room for the group. */
export const admitted = changed('admitted', { status: { phase: 'Inqueue' } }, { kind: 'PodGroup', name: 'j', subresource: 'status' });

/** Time alone. */
export const passes = (seconds: number): Step => ({
  says: `${seconds} s passed`,
  act: async () => await new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
});

/** Waits until the job has that condition: for deadlines, which no object tells of. */
export const comesTo = (type: string): Step => ({
  says: `${type} by itself`,
  act: async (stage) =>
    await stage.waitFor(
      type,
      ({ job }) => job?.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false,
    ),
});
export const goes: Step = {
  says: 'deleted by itself',
  act: async (stage) => await stage.waitFor('the end of the job', ({ job }) => job === undefined),
};
