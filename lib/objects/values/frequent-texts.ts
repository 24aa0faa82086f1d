// Texts that compressors are given as a dictionary: whatever is packed needs no bytes for them. They are data, written as JSON has them.

/**
 * Texts that nearly every message and view item holds. Never change a letter: what was packed with another text cannot be read. The most
 * frequent text is last.
 */
export const FREQUENT_TEXTS = [
  '{"e":0,"f":"0","o":{"h":"","p":true,"d":false,"j":{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"","namespace":"default","uid":"","resourceVersion":"","generation":1,"creationTimestamp":"2026-',
  '"labels":{"batch.kubernetes.io/controller-uid":"","batch.kubernetes.io/job-name":"","controller-uid":"","job-name":""}',
  '"spec":{"parallelism":1,"completions":1,"backoffLimit":6,"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":""}},"manualSelector":false,"completionMode":"NonIndexed","Indexed","suspend":false,"podReplacementPolicy":"TerminatingOrFailed"',
  '"template":{"spec":{"containers":[],"restartPolicy":"Never"}}},"status":{"conditions":[{"type":"SuccessCriteriaMet","status":"True","lastProbeTime":"2026-","lastTransitionTime":"2026-","reason":"CompletionsReached","message":"Reached expected number of succeeded pods"},{"type":"Complete"',
  '"startTime":"2026-","completionTime":"2026-","active":1,"ready":0,"succeeded":1,"failed":1,"terminating":0,"completedIndexes":"0-","uncountedTerminatedPods":{}}}}}',
  '{"cluster":"","session":"","era":0,"kubeSystemUid":"","sequence":1,"sentAtMs":179,"reports":[{"owner":{"kind":"Job","namespace":"default","name":"","uid":""},"observed":{"heardAt":"","deleted":false,"object":{"apiVersion":"batch/v1"},"pods":1,"whole":{"floor":"","slots":"all"}}',
  '{"n":"default","c":{"apiVersion":"batch/v1","kind":"Job","name":"","uid":""},"l":{"batch.kubernetes.io/controller-uid":"","batch.kubernetes.io/job-name":"","controller-uid":"","job-name":""},"b":305,"p":"Failed","r":"False","k":[["Ready","False"]],"s":[["main","container",0,1,true]]}',
  '"b":307,"p":"Pending","k":[["PodScheduled","True"]],"s":[]}',
  '"b":439,"p":"Succeeded","r":"False","k":[["PodReadyToStartContainers","False"],["Initialized","True"],["Ready","False"],["ContainersReady","False"],["PodScheduled","True"]],"s":[["main","container",0,0,true]]}',
  '"b":435,"p":"Running","r":"True","k":[["PodReadyToStartContainers","True"],["Initialized","True"],["Ready","True"],["ContainersReady","True"],["PodScheduled","True"]],"s":[["main","container",0,null,false]]}',
].join('');

/** Texts that snapshots repeat within themselves, and those that differ between them. */
export interface SnapshotSubject {
  /** Of the owner. */
  name: string;
  uid: string;
  /** RFC 3339, to the second: the owner's creation, and the pass. */
  createdAt: string;
  now: string;
  /** Of the pass, Unix milliseconds. */
  nowMs: number;
}

/**
 * Texts of the snapshots of one kind, in addition to `FREQUENT_TEXTS`. Never change a letter once snapshots were written with them: another
 * text needs another mark (lib/wire/snapshot-words.ts).
 */
export interface SnapshotTexts {
  always: string;
  about(this: void, subject: SnapshotSubject): string;
}
