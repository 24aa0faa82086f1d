// Texts that nearly every snapshot of a pass over a Job holds, for the compressor's dictionary. A Job of one pod has two snapshots, and AWS
// bills a log by its size.
import type { SnapshotSubject, SnapshotTexts } from '../../objects/values/frequent-texts.ts';

const ALWAYS = [
  '"why":["the Job fails: BackoffLimitExceeded, Job has reached the specified backoff limit"],"actions":[{"verb":"delete","target":"","why":"the Job has failed"},{"verb":"event","target":"SuccessfulDelete: Deleted pod: ","why":"a pod was deleted"}',
  '{"type":"FailureTarget","status":"True","lastProbeTime":"2026-","lastTransitionTime":"2026-","reason":"BackoffLimitExceeded","message":"Job has reached the specified backoff limit"},{"type":"Failed"',
  '"why":["1 of 1 succeeded, 0 failed, 0 run (0 ready), 0 terminate","the Job succeeds: CompletionsReached, Reached expected number of succeeded pods"],"actions":[{"verb":"status","target":"status","why":"the Job ends: CompletionsReached"},{"verb":"strip","target":"","why":"the status counts it, or it need not be counted"},{"verb":"event","target":"Completed: Job completed","why":"people and tools follow a Job by its events"}]',
  '"d":{"outcome":"acted","why":["0 of 1 succeeded, 0 failed, 1 run (0 ready), 0 terminate","0 of 1 wanted pods run"],"actions":[{"verb":"create","target":"","why":"0 of 1 wanted pods run; index 0 is open"},{"verb":"event","target":"SuccessfulCreate: Created pod: ","why":"a pod was created"},{"verb":"status","target":"status","why":"the counts or conditions have changed"}]',
  '"status":{"conditions":[{"type":"SuccessCriteriaMet","status":"True","lastProbeTime":"2026-01-01T00:00:01Z","lastTransitionTime":"2026-01-01T00:00:01Z","reason":"CompletionsReached","message":"Reached expected number of succeeded pods"},{"type":"Complete","status":"True","lastProbeTime":"2026-01-01T00:00:01Z","lastTransitionTime":"2026-01-01T00:00:01Z","reason":"CompletionsReached","message":"Reached expected number of succeeded pods"}],',
  '"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:01Z","succeeded":1,"terminating":0,"completedIndexes":"0","uncountedTerminatedPods":{},"ready":0}}}',
  '{"o":{"metadata":{"name":"","namespace":"default","uid":"","resourceVersion":"","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"job-name":"","batch.kubernetes.io/job-name":"","controller-uid":"","batch.kubernetes.io/controller-uid":""}},',
  '"spec":{"completions":1,"parallelism":1,"completionMode":"NonIndexed","completionMode":"Indexed","backoffLimit":6,"suspend":false,"manualSelector":false,"podReplacementPolicy":"TerminatingOrFailed","selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":""}},',
  '"template":{"metadata":{"labels":{"job-name":"","batch.kubernetes.io/job-name":"","controller-uid":"","batch.kubernetes.io/controller-uid":""}},"spec":{"containers":[{"name":"main"}],"restartPolicy":"Never"}}},"apiVersion":"batch/v1","kind":"Job","status":{"startTime":"2026-01-01T00:00:00Z","active":1,"terminating":0,"uncountedTerminatedPods":{},"ready":0}},',
  '"h":{"expectations":{"create":[],"delete":[],"strip":[]},"backoff":{"failures":0},"ordinal":0},"m":"own","m":"all","t":17',
].join('');

/** The first pass of a Job and its last, in both completion modes; the most frequent stands last. */
function textsAbout({ name, uid, createdAt: created, now, nowMs }: SnapshotSubject): string {
  const labels = `"job-name":"${name}","batch.kubernetes.io/job-name":"${name}","controller-uid":"${uid}","batch.kubernetes.io/controller-uid":"${uid}"}`;
  const ownerUntil = (mode: string): string =>
    `{"o":{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"${name}","namespace":"default","uid":"${uid}","resourceVersion":"1","generation":1,"creationTimestamp":"${created}","labels":{${labels}},"spec":{"completions":1,"parallelism":1,"completionMode":"${mode}","backoffLimit":6,"suspend":false,"manualSelector":false,"podReplacementPolicy":"TerminatingOrFailed","selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"${uid}"}},"template":{`;
  const since = `"startTime":"${created}",`;
  const head = `"h":{"expectations":{"create":[],"delete":[],"strip":[]},"backoff":{"failures":0},"ordinal":0},"m":"all","t":${nowMs},"d":{"outcome":"acted","why":["`;
  const first = ([mode, index, open]: Mode): string =>
    `${ownerUntil(mode)}"metadata":{"labels":{${labels}},"spec":{"containers":[{"name":"main"}],"restartPolicy":"Never"}}},"status":{}},${head}0 of 1 wanted pods run","after it: 0 of 1 succeeded, 0 failed, 1 active (0 ready), 0 terminating"],"actions":[{"verb":"create","target":"${name}${index}-","why":"0 of 1 wanted pods run${open}"},{"verb":"event","target":"SuccessfulCreate: Created pod: ${name}${index}-","why":"a pod was created"},{"verb":"status","target":"status","why":"the counts or conditions have changed"}],"status":{"startTime":"${now}","active":1,"terminating":0,"uncountedTerminatedPods":{},"ready":0}}}`;
  const met = `"status":"True","lastProbeTime":"${now}","lastTransitionTime":"${now}","reason":"CompletionsReached","message":"Reached expected number of succeeded pods"}`;
  const last = ([mode, index, , completed, bits]: Mode): string =>
    `${ownerUntil(mode)}"spec":{"containers":[],"restartPolicy":"Never"}}},"status":{${since}"active":1,"terminating":0,"ready":0,"uncountedTerminatedPods":{}}},${head}the Job succeeds: CompletionsReached, Reached expected number of succeeded pods","after it: 1 of 1 succeeded, 0 failed, 0 active (0 ready), 0 terminating"],"actions":[{"verb":"status","target":"status","why":"the Job ends: CompletionsReached"},{"verb":"strip","target":"${name}${index}-","why":"the status counts it, or it need not be counted"},{"verb":"event","target":"Completed: Job completed","why":"people and tools follow a Job by its events"}],"status":{"conditions":[{"type":"SuccessCriteriaMet",${met},{"type":"Complete",${met}],${since}"completionTime":"${now}","succeeded":1,"terminating":0,${completed}"uncountedTerminatedPods":{},"ready":0}}}{"n":"default","c":{"apiVersion":"batch/v1","kind":"Job","name":"${name}","uid":"${uid}"},"l":{${labels},"b":${bits},"p":"Succeeded","r":"False","k":[["Ready","False"],["PodScheduled","True"]],"s":[["main","container",0,0,true]]}`;
  return [first, last].flatMap((pass) => MODES.map(pass)).join('');
}

/** Per completion mode: its name, the index in a pod's name, the end of a create's `why`, the status field, a pod's bits. */
type Mode = readonly [string, string, string, string, number];
const MODES: readonly Mode[] = [
  ['NonIndexed', '', '', '', 419],
  ['Indexed', '-0', '; index 0 is open', '"completedIndexes":"0",', 435],
];

export const jobTexts: SnapshotTexts = { always: ALWAYS, about: textsAbout };
