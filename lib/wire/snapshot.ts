// What a planner saw and decided in one pass, packed for the flight recorder: facts only, so no template, no environment value and no
// secret can be in it.
import * as v from 'valibot';
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import { packPods, unpackPods } from './columns.ts';
import { BOILERPLATE, open, seal, type Words } from './envelope.ts';
import { parseGuarded } from './guarded-json.ts';
import { JobObject } from './view-item.ts';
import { slotOf } from './view-layout.ts';

const LIMITS = { bytes: 400_000, unpackedBytes: 8_000_000 };

/** What nearly every snapshot says. Another text takes another mark, and this one stays to read what was written with it. */
const WORDS: Words = {
  mark: 65,
  boilerplate: Buffer.concat([
    BOILERPLATE,
    Buffer.from(
      [
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
      ].join(''),
    ),
  ]),
};

const whole = v.pipe(v.number(), v.safeInteger());

/** Durable state of the workload, as its planner is given it. */
const Head = v.strictObject({
  expectations: v.strictObject({ create: v.array(v.string()), delete: v.array(v.string()), strip: v.array(v.string()) }),
  backoff: v.strictObject({ failures: whole, lastFailureTime: v.exactOptional(v.string()) }),
  ordinal: whole,
  holdUntilMs: v.exactOptional(v.number()),
  deleteHoldUntilMs: v.exactOptional(v.number()),
});

const Decided = v.strictObject({
  outcome: v.string(),
  why: v.array(v.string()),
  /** In order. */
  actions: v.array(v.strictObject({ verb: v.string(), target: v.string(), why: v.string() })),
  requeueAfterSeconds: v.exactOptional(v.number()),
  /** The status that would stand after it. */
  status: v.record(v.string(), v.unknown()),
});
export type Decided = v.InferOutput<typeof Decided>;

const Header = v.strictObject({ o: JobObject, h: Head, m: v.picklist(['own', 'all']), t: v.number(), d: Decided });

export interface RecordedPlan {
  /** The owner's facts. */
  owner: Job;
  pods: readonly PodFacts[];
  head: v.InferOutput<typeof Head>;
  manage: 'own' | 'all';
  /** The cluster's time in that pass, Unix milliseconds. */
  nowMs: number;
  decided: Decided;
}

/** @param plan its owner must be facts, as `jobFactsOf` makes them */
export function packSnapshot({ owner, pods, head, manage, nowMs, decided }: RecordedPlan): Uint8Array {
  const entries = pods
    .map((pod) => ({ heardAt: pod.resourceVersion, byPass: false, deleted: false, pod }))
    .toSorted((one, other) => slotOf(one.pod) - slotOf(other.pod));
  const header = { o: owner, h: head, m: manage, t: nowMs, d: decided };
  return seal({ header: JSON.stringify(header), pods: packPods(entries) }, WORDS);
}

/** @throws UndecodableMessageError */
export function unpackSnapshot(bytes: Uint8Array): RecordedPlan {
  const { header, pods } = open(bytes, LIMITS, WORDS);
  const { o, h, m, t, d } = parseGuarded(header, Header, 'snapshot');
  return { owner: o, pods: unpackPods(pods).map(({ pod }) => pod), head: h, manage: m, nowMs: t, decided: d };
}
