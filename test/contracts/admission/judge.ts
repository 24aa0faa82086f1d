// What admission answers to a case: the code and, for a refusal, which fields it names. The same cases are put to a real API
// server and to the functions of lib/objects.
import type { Job, JobStatus, Pod, PodSpec, PodStatus, PodTemplate } from '../../../lib/objects/kubernetes.ts';

export interface Cause {
  reason: string;
  field: string;
  message: string;
}

export interface Answer<T> {
  code: number;
  /** What is stored now; of a refusal, what was sent. */
  object: T;
  causes: Cause[];
}

/** Who admits: a server, or the functions that stand for one. */
export interface Judge {
  createJob(job: Job): Promise<Answer<Job>>;
  replaceJob(job: Job): Promise<Answer<Job>>;
  replaceJobStatus(job: Job): Promise<Answer<Job>>;
  createPod(pod: Pod): Promise<Answer<Pod>>;
  replacePod(pod: Pod): Promise<Answer<Pod>>;
  replacePodStatus(pod: Pod): Promise<Answer<Pod>>;
}

interface Expectation {
  name: string;
  /** Of the last request. */
  code: 200 | 201 | 422;
  /** `causes[].field`, each once, sorted; none for an admitted object. */
  fields?: string[];
}

export interface JobCase extends Expectation {
  job: Job;
  /** Statuses that are written after the creation, each of which must be taken. */
  before?: JobStatus[];
  /** The change of the stored Job that is asked for; what it returns is put. */
  change?: (stored: Job) => Job;
  /** The status that is asked for, instead of the stored one. */
  status?: JobStatus;
}

export interface PodCase extends Expectation {
  pod: Pod;
  before?: PodStatus[];
  change?: (stored: Pod) => Pod;
  status?: PodStatus;
}

/** The answer to the last request of a case. @throws when a request before it is refused */
export async function judgeJob(judge: Judge, { job, before = [], change, status }: JobCase): Promise<Answer<Job>> {
  let answer = await judge.createJob(job);
  if (change === undefined && status === undefined) return answer;
  for (const earlier of before) {
    mustBeTaken(answer);
    answer = await judge.replaceJobStatus({ ...answer.object, status: earlier });
  }
  mustBeTaken(answer);
  if (change !== undefined) return judge.replaceJob(change(structuredClone(answer.object)));
  return judge.replaceJobStatus({ ...answer.object, status: status ?? {} });
}

/** As `judgeJob`, for a pod. */
export async function judgePod(judge: Judge, { pod, before = [], change, status }: PodCase): Promise<Answer<Pod>> {
  let answer = await judge.createPod(pod);
  if (change === undefined && status === undefined) return answer;
  for (const earlier of before) {
    mustBeTaken(answer);
    answer = await judge.replacePodStatus({ ...answer.object, status: earlier });
  }
  mustBeTaken(answer);
  if (change !== undefined) return judge.replacePod(change(structuredClone(answer.object)));
  return judge.replacePodStatus({ ...answer.object, status: status ?? {} });
}

function mustBeTaken({ code, causes }: Answer<unknown>): void {
  if (code < 300) return;
  throw new Error(
    `a step before the last was refused with ${code}: ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ')}`,
  );
}

export const fieldsOf = (causes: readonly Cause[]): string[] => [...new Set(causes.map(({ field }) => field))].toSorted();

/**
 * Causes in a form that two judges share: each once, sorted, without what differs between them (uids) and without the values
 * of whole structures, which a Go server shows by its own field names.
 */
export function comparable(causes: readonly Cause[]): string[] {
  const texts = causes.map(({ reason, field, message }) => `${reason} ${field}: ${withoutStructures(message)}`);
  return [...new Set(texts)].toSorted();
}

const withoutStructures = (message: string): string =>
  message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/^(Invalid value|Duplicate value): [[{].*[\]}]: /s, '$1: <structure>: ')
    .replace(/^(Forbidden: pod updates may not change fields other than [^\n]*)\n.*$/s, '$1');

let made = 0;

/** A Job that is admitted, with changes of its spec and of its template's. */
export function aJob(spec: Partial<Job['spec']> = {}, template: Partial<PodSpec> = {}, metadata: Job['metadata'] = {}): Job {
  made += 1;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `case-${made}`, namespace: 'default', ...metadata },
    spec: { template: aTemplate(template), ...spec },
  };
}

export const aTemplate = (spec: Partial<PodSpec> = {}, metadata?: PodTemplate['metadata']): PodTemplate => ({
  ...(metadata !== undefined && { metadata }),
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }], ...spec },
});

export function anIndexedJob(spec: Partial<Job['spec']> = {}): Job {
  return aJob({ completionMode: 'Indexed', completions: 5, parallelism: 2, ...spec });
}

/** A pod that is admitted, with changes of its spec. */
export function aPod(spec: Partial<PodSpec> = {}, metadata: Pod['metadata'] = {}): Pod {
  made += 1;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `case-${made}`, namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
  };
}
