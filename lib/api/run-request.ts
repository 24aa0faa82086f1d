// A request for a run, as the API takes it.
import * as v from 'valibot';
import { CAPACITY, CLEANUP, REJECTED, UNTIL } from '../kinds/run-once/options.ts';
import { RUN_ID } from '../objects/task.ts';

const wholeFrom = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

export const RunRequest = v.strictObject({
  runId: v.optional(v.pipe(v.string(), v.regex(RUN_ID), v.description('The same one again is the same run. Absent: a new run.'))),
  provider: v.optional(
    v.pipe(
      v.string(),
      v.description('Who runs the pods: simulated or http:ADDRESS. Absent: the provider of node; on AWS that of the deployment.'),
    ),
  ),
  node: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z0-9][-a-z0-9.]{0,62}$/),
      v.description('With a provider any name. Without one a virtual node that is registered here.'),
    ),
  ),
  manifest: v.optional(
    v.pipe(v.array(v.record(v.string(), v.unknown())), v.description('Pods of v1, or Lists of pods. Absent: no document.')),
  ),
  options: v.optional(
    v.strictObject({
      until: v.optional(v.picklist(UNTIL)),
      rejected: v.optional(v.picklist(REJECTED)),
      cleanup: v.optional(v.picklist(CLEANUP)),
      capacity: v.optional(v.picklist(CAPACITY)),
      parallelism: v.optional(wholeFrom(1, 1_000)),
      logs: v.optional(wholeFrom(1, 10_000)),
      mirror: v.optional(v.pipe(v.boolean(), v.description('Pods are shown in the cluster of the registered node.'))),
      preempt: v.optional(
        v.pipe(
          v.boolean(),
          v.description('Critical pods evict pods of the cluster of the registered node. Absent: they do, with the capacity node.'),
        ),
      ),
      deadlineSeconds: v.optional(wholeFrom(1, 86_400)),
    }),
  ),
});
