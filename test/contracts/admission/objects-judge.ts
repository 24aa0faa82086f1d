// The functions of lib/objects as a judge: what stores a Job and a pod, without a server around it.
import { withJobDefaults, withJobUpdateDefaults } from '../../../lib/admission/job/job-defaults.ts';
import { validateJob, validateJobStatusUpdate, validateJobUpdate } from '../../../lib/admission/job/job-validation.ts';
import type { Job, ObjectMeta, Pod } from '../../../lib/objects/kubernetes.ts';
import { withPodDefaults } from '../../../lib/admission/pod/pod-defaults.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from '../../../lib/admission/pod/pod-validation.ts';
import type { FieldError } from '../../../lib/objects/field-error.ts';
import { withServerMetadata } from '../../../lib/sandbox/verbs/metadata-rules.ts';
import type { Answer, Judge } from './judge.ts';

export function objectsJudge(): Judge {
  const jobs = new Map<string, Job>();
  const pods = new Map<string, Pod>();
  let births = 0;

  const born = (metadata: ObjectMeta): ObjectMeta => {
    births += 1;
    const uid = `00000000-0000-4000-8000-${String(births).padStart(12, '0')}`;
    return { ...metadata, uid, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  };
  return {
    async createJob({ status: _status, ...job }) {
      const created = withJobDefaults({ ...job, metadata: born(job.metadata) });
      return answer(jobs, created, validateJob(created), 201);
    },
    async replaceJob(job) {
      const previous = stored(jobs, job.metadata);
      const { status: _status, ...requested } = withJobUpdateDefaults(withServerMetadata(job, previous));
      const next: Job = previous.status === undefined ? requested : { ...requested, status: previous.status };
      return answer(jobs, next, validateJobUpdate(next, previous), 200);
    },
    async replaceJobStatus(job) {
      const previous = stored(jobs, job.metadata);
      const next = { ...withServerMetadata(job, previous), spec: previous.spec };
      return answer(jobs, next, validateJobStatusUpdate(next, previous), 200);
    },
    async createPod({ status: _status, ...pod }) {
      const created = withPodDefaults({ ...pod, metadata: born(pod.metadata) });
      return answer(pods, created, validatePod(created), 201);
    },
    async replacePod(pod) {
      const previous = stored(pods, pod.metadata);
      const { status: _status, ...requested } = withPodDefaults(withServerMetadata(pod, previous));
      const next: Pod = previous.status === undefined ? requested : { ...requested, status: previous.status };
      return answer(pods, next, validatePodUpdate(next, previous), 200);
    },
    async replacePodStatus(pod) {
      const previous = stored(pods, pod.metadata);
      const qosClass = pod.status?.['qosClass'] ?? previous.status?.['qosClass'];
      const next: Pod = {
        ...withServerMetadata(pod, previous),
        spec: previous.spec,
        status: { ...pod.status, qosClass },
      };
      return answer(pods, next, validatePodStatusUpdate(next, previous), 200);
    },
  };
}

function answer<T extends Job | Pod>(store: Map<string, T>, object: T, refusals: FieldError[], code: number): Answer<T> {
  if (refusals.length > 0) return { code: 422, object, causes: refusals };
  store.set(object.metadata.name ?? '', object);
  return { code, object, causes: [] };
}

function stored<T>(store: Map<string, T>, metadata: ObjectMeta): T {
  const object = store.get(metadata.name ?? '');
  if (object === undefined) throw new Error(`${metadata.name ?? ''} was never created`);
  return object;
}
