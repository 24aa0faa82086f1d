// Parts of one workload in the API's answers: its pods in pages, its map, its plan, its children.
import * as v from 'valibot';
import { INDEX_LETTERS, INDEX_STATES } from '../../objects/detail/packed-states.ts';
import { POD_STATES } from '../../objects/detail/pod-standing.ts';
import { anyObject, amount, count, text, time, whole, yes } from './values.ts';
import { Pod } from './workloads.ts';

const podCounts = v.object(
  Object.fromEntries(POD_STATES.map((state) => [state, v.exactOptional(count)])) as Counted<(typeof POD_STATES)[number]>,
);
type Counted<Word extends string> = Record<Word, v.ExactOptionalSchema<typeof count, undefined>>;

export const PodPage = v.object({
  items: v.array(Pod),
  total: v.pipe(count, v.description('Of all pages.')),
  counts: v.pipe(podCounts, v.description('Of the whole workload, whatever is chosen.')),
  next: v.exactOptional(text),
});

const letter = v.picklist(INDEX_LETTERS);
const stateCounts = v.object(
  Object.fromEntries(INDEX_LETTERS.map((each) => [each, v.exactOptional(count)])) as Counted<(typeof INDEX_LETTERS)[number]>,
);

const IndexMap = v.object({
  of: v.literal('indexes'),
  total: count,
  counts: stateCounts,
  from: count,
  to: count,
  states: v.object({
    ranges: v.exactOptional(
      v.pipe(
        text,
        v.description('Each run of equal states as its letter and its length in base 36, which is left out where it is 1: S2n8RS.'),
      ),
    ),
    blocks: v.exactOptional(
      v.pipe(
        v.object({ size: count, counts: text }),
        v.description(
          'Where ranges would be too long: for each block of neighbours its counts by letter, with commas between blocks. Ask for a part.',
        ),
      ),
    ),
  }),
  legend: v.object(Object.fromEntries(INDEX_LETTERS.map((each) => [each, v.literal(INDEX_STATES[each])])) as unknown as Legend),
  lagging: count,
  measured: count,
  medianSeconds: v.exactOptional(count),
  notable: v.array(
    v.object({
      index: count,
      state: letter,
      lags: v.exactOptional(v.literal(true)),
      seconds: v.exactOptional(count),
      exitCode: v.exactOptional(whole),
      reason: v.exactOptional(text),
      pod: text,
    }),
  ),
  notableLeftOut: count,
  at: v.exactOptional(
    v.object({
      index: count,
      state: v.picklist(Object.values(INDEX_STATES)),
      lags: v.exactOptional(v.literal(true)),
      seconds: v.exactOptional(count),
      pods: v.array(Pod),
      gone: v.exactOptional(
        v.pipe(
          v.object({
            pod: text,
            container: v.exactOptional(text),
            exitCode: v.exactOptional(whole),
            reason: v.exactOptional(text),
            time: v.exactOptional(time),
          }),
          v.description('Of an index without a pod: the latest that it had and how that ended, as long as it is remembered.'),
        ),
      ),
    }),
  ),
});
type Legend = { [Letter in keyof typeof INDEX_STATES]: v.LiteralSchema<(typeof INDEX_STATES)[Letter], undefined> };

const replicaState = v.picklist([...POD_STATES, 'NotStarted']);
const ReplicaMap = v.object({
  of: v.literal('replicas'),
  types: v.array(
    v.object({
      type: text,
      wanted: count,
      counts: v.record(text, count),
      replicas: v.array(
        v.object({
          index: count,
          rank: v.exactOptional(count),
          state: replicaState,
          reason: v.exactOptional(text),
          pod: v.exactOptional(text),
          restarts: v.exactOptional(count),
          exitCode: v.exactOptional(whole),
          fellFirst: v.exactOptional(v.literal(true)),
        }),
      ),
      replicasLeftOut: count,
    }),
  ),
});

export const WorkloadMap = v.variant('of', [IndexMap, ReplicaMap, v.object({ of: v.literal('pods'), counts: podCounts })]);

export const PlanNow = v.object({
  outcome: v.picklist(['acted', 'waiting', 'converged', 'parked', 'notOurs']),
  why: v.array(text),
  actions: v.array(v.object({ verb: text, target: text, why: text })),
  status: v.pipe(anyObject, v.description('The status as it would be after it.')),
  requeueAfterSeconds: v.exactOptional(amount),
  reads: v.pipe(v.array(text), v.description('What the pass would read live first, and might then decide otherwise.')),
  text: v.pipe(text, v.description('The same for people.')),
});

export const ChildPage = v.object({
  items: v.array(
    v.object({
      resource: text,
      kind: text,
      name: text,
      namespace: text,
      uid: text,
      resourceVersion: text,
      labels: v.exactOptional(v.record(text, text)),
      terminating: yes,
      orphaned: yes,
    }),
  ),
  counts: v.record(text, count),
  leftOut: count,
});
