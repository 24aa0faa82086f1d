// Workloads in the API's answers.
import * as v from 'valibot';
import { kindNames } from '../../kinds/facts.ts';
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import { POD_STATES } from '../../objects/detail/pod-standing.ts';
import { STATES } from '../../kinds/rows/state.ts';
import { SHOWN } from '../../kinds/shown.ts';
import { anyObject, count, number, text, time, whole, yes } from './values.ts';

export const key = { cluster: text, kind: v.picklist(kindNames()), namespace: text, name: text, uid: text };

const FIELD_SHAPES = { count, time, text } as const;

/** Fields that one kind adds. Other kinds do not have them, so no code reads them by name. */
const ownFields: object = Object.fromEntries(
  Object.values<KindShown>(SHOWN)
    .flatMap(({ fields }) => fields)
    .map(({ name, is }) => [name, v.exactOptional(FIELD_SHAPES[is])]),
);

const summary = {
  ...key,
  state: v.picklist(STATES),
  reason: v.exactOptional(text),
  why: v.exactOptional(v.pipe(text, v.description('One sentence on why it ended badly or what holds it up.'))),
  figures: v.array(v.object({ name: text, value: number, of: v.exactOptional(number), isMinor: v.exactOptional(v.literal(true)) })),
  labels: v.exactOptional(v.record(text, text)),
  creationTime: v.exactOptional(time),
  ...ownFields,
  nextWake: v.exactOptional(v.object({ dueTime: time, attempt: count })),
  removedTime: v.exactOptional(v.pipe(time, v.description('When it was found to be gone from its cluster.'))),
  queued: v.exactOptional(yes),
};

/** A line of a list. */
export const Workload = v.object({
  ...summary,
  hasMoreLabels: v.exactOptional(v.pipe(v.literal(true), v.description('It has more labels than a list keeps.'))),
  sinceTime: v.exactOptional(v.pipe(time, v.description('Since when it has had its state.'))),
  needsPerson: v.exactOptional(v.pipe(v.literal(true), v.description('A person should look at it.'))),
  asOfTime: v.exactOptional(v.pipe(time, v.description('What happens on its cluster is not seen: all this is from then.'))),
  costDollars: v.exactOptional(
    v.pipe(number, v.description('At list prices, of a week at most; where cost=shown or sort=cost asks for it and it is counted.')),
  ),
});

const facet = v.array(v.object({ value: text, count }));

export const WorkloadPage = v.object({
  items: v.array(Workload),
  total: v.pipe(count, v.description('How many match, on all pages.')),
  totals: v.pipe(
    v.object(Object.fromEntries(STATES.map((state) => [state, v.exactOptional(count)]))),
    v.description('How many of those that match are in each state.'),
  ),
  of: v.pipe(count, v.description('How many workloads there are, whether they match or not.')),
  facets: v.exactOptional(
    v.pipe(
      v.object({ kinds: facet, namespaces: facet, namespacesLeftOut: count }),
      v.description(
        'Where facets=shown asks for them: kinds, as if none were chosen, and the most frequent namespaces, likewise; each with how many match.',
      ),
    ),
  ),
  next: v.exactOptional(text),
});

export const Pod = v.object({
  name: text,
  uid: text,
  phase: text,
  state: v.picklist(POD_STATES),
  reason: v.exactOptional(text),
  type: v.exactOptional(text),
  index: v.exactOptional(text),
  ready: v.exactOptional(text),
  tracked: yes,
  terminating: yes,
  creationTime: time,
  startTime: v.exactOptional(time),
  ranSeconds: v.exactOptional(count),
  exitCodes: v.array(whole),
  containers: v.array(
    v.object({
      name: text,
      role: v.picklist(['container', 'sidecar', 'init']),
      restarts: count,
      exitCode: v.exactOptional(whole),
      finishedTime: v.exactOptional(time),
      lastExitCode: v.exactOptional(whole),
      lastFinishedTime: v.exactOptional(time),
      reason: v.exactOptional(text),
    }),
  ),
  reasons: v.exactOptional(v.array(v.object({ reason: text, message: v.exactOptional(text), container: v.exactOptional(text) }))),
});

const FirstFall = v.pipe(
  v.object({
    pod: text,
    container: text,
    exitCode: whole,
    reason: v.exactOptional(text),
    time,
    followed: count,
    withinSeconds: count,
    followedExitCode: v.exactOptional(whole),
  }),
  v.description('The pod that fell first, and how many followed within a minute.'),
);

const Lagging = v.pipe(
  v.object({ count, medianSeconds: count, indexes: v.array(v.object({ index: count, seconds: count, pod: text })) }),
  v.description('Indexes that run longer than three times the median of those that succeeded, and than 2 min.'),
);

export const WorkloadDetail = v.object({
  ...summary,
  cause: v.exactOptional(v.pipe(text, v.description('What ended it or holds it up, in one sentence or two.'))),
  firstFall: v.exactOptional(FirstFall),
  lagging: v.exactOptional(Lagging),
  reasons: v.array(
    v.object({
      code: text,
      text,
      pods: v.exactOptional(v.array(text)),
      exitCode: v.exactOptional(whole),
      podReason: v.exactOptional(text),
      trouble: v.exactOptional(text),
      rule: v.exactOptional(count),
      remainingSeconds: v.exactOptional(number),
    }),
  ),
  conditions: v.array(v.unknown()),
  status: anyObject,
  objectKind: v.pipe(
    text,
    v.description('Of its object on the cluster, where it may be called otherwise: a pod of a virtual node is a Pod there.'),
  ),
  hasPods: v.pipe(yes, v.description('Whether workloads of its kind have pods.')),
  map: v.exactOptional(
    v.pipe(v.picklist(['indexes', 'replicas']), v.description('Of what its map tells; absent: its pods stand for nothing but themselves.')),
  ),
  pods: v.array(Pod),
  podsLeftOut: count,
  passes: v.exactOptional(anyObject),
  head: v.object({ era: count, fence: text, floor: text, bornTime: text, openedTime: text, viewItems: count }),
});
