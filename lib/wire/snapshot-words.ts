// The compressor's dictionary for snapshots: texts that nearly every one holds. A Job of one pod has two snapshots, and AWS bills a log by its
// size. If you change a text, give it a new mark and keep the old text, to read what was written with it.
import { ByteWriter, type ByteReader } from './bytes.ts';
import { uuidBytesOf, uuidOf } from './uuid-bytes.ts';
import { BOILERPLATE, openWith, sealWith, type Decoder, type Envelope } from './envelope.ts';

/** In the version's place: above any version that a later build may write. */
const FIRST_MARK = 65;
const MARK = 66;
/** With children other than pods; a build that does not know it says that it cannot read such a snapshot. */
const MARK_WITH_CHILDREN = 67;

/** Characters of a name or a uid; and bytes at most of one character. */
const LONGEST = 253;
const BYTES_PER_CHARACTER = 3;
const LATEST_MS = 8.64e15;

const FIRST_WORDS = Buffer.concat([
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
]);

/** Texts that a snapshot repeats, and that differ between snapshots. They are written first, so that the dictionary can contain them. */
interface Subject {
  name: string;
  uid: string;
  /** Of the Job's creation and of the pass. */
  createdAtSeconds: number;
  nowMs: number;
}

export const SNAPSHOT_DECODERS: Record<number, Decoder> = {
  [FIRST_MARK]: (reader, limits) => openWith(FIRST_WORDS, reader, limits),
  [MARK]: (reader, limits) => openWith(wordsAbout(readSubject(reader)), reader, limits),
  [MARK_WITH_CHILDREN]: (reader, limits) => openWith(wordsAbout(readSubject(reader)), reader, limits, true),
};

/** @param about the owner's metadata, and the time of the pass in Unix milliseconds */
export function sealSnapshot(
  envelope: Envelope,
  { name = '', uid = '', creationTimestamp = '', nowMs }: { name?: string; uid?: string; creationTimestamp?: string; nowMs: number },
): Uint8Array {
  const subject = {
    name: name.slice(0, LONGEST),
    uid: uid.slice(0, LONGEST),
    createdAtSeconds: Math.floor(timeOrZero(Date.parse(creationTimestamp)) / 1000),
    nowMs: timeOrZero(nowMs),
  };
  const writer = new ByteWriter();
  writer.byte(envelope.children ? MARK_WITH_CHILDREN : MARK);
  writeSubject(subject, writer);
  sealWith(wordsAbout(subject), envelope, writer);
  return writer.done();
}

/** Times before 1970 are written as 0: no dictionary is worth it for them. */
const timeOrZero = (ms: number): number => (ms >= 0 && ms <= LATEST_MS ? Math.floor(ms) : 0);
const timeText = (ms: number): string => new Date(timeOrZero(ms)).toISOString().replace(/\.\d+/, '');

function writeSubject({ name, uid, createdAtSeconds, nowMs }: Subject, writer: ByteWriter): void {
  const uuid = uuidBytesOf(uid);
  writer.text(name);
  writer.byte(uuid ? 1 : 0);
  if (uuid) writer.bytes(uuid);
  else writer.text(uid);
  writer.unsigned(createdAtSeconds);
  writer.unsigned(nowMs);
}

function readSubject(reader: ByteReader): Subject {
  const name = reader.text(LONGEST * BYTES_PER_CHARACTER);
  const uid = reader.byte() === 1 ? uuidOf(reader.bytes(16)) : reader.text(LONGEST * BYTES_PER_CHARACTER);
  return { name, uid, createdAtSeconds: reader.unsigned(), nowMs: reader.unsigned() };
}

/** The first pass of a Job and its last, in both completion modes; the most frequent stands last. */
function wordsAbout({ name, uid, createdAtSeconds, nowMs }: Subject): Buffer {
  const [created, now] = [timeText(createdAtSeconds * 1000), timeText(nowMs)];
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
  return Buffer.concat([FIRST_WORDS, Buffer.from([first, last].flatMap((pass) => MODES.map(pass)).join(''))]);
}

/** Per completion mode: its name, the index in a pod's name, the end of a create's `why`, the status field, a pod's bits. */
type Mode = readonly [string, string, string, string, number];
const MODES: readonly Mode[] = [
  ['NonIndexed', '', '', '', 419],
  ['Indexed', '-0', '; index 0 is open', '"completedIndexes":"0",', 435],
];
