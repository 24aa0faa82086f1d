// The label by which the objects of a job are watched.
import { resourceKeyOf } from '../../../objects/child-state.ts';
import type { Action } from '../../rows/plan.ts';
import { correctAction } from '../objects/actions.ts';
import { AUTOSCALERS } from '../objects/autoscaler.ts';
import type { Situation } from './situation.ts';
import { TRAINING_JOB } from '../names/slots.ts';

/**
 * Objects of the job that an operator has made lack the label by which they are watched. They are met where a create finds their name taken, and
 * labelled then, so that their changes and deletions are heard of.
 */
export function labelActions({ given, terms, gang }: Situation): Action[] {
  const resources = [
    ...(terms.framework.objects ?? []).map(({ resource }) => resource),
    ...(terms.framework.isAutoscaled ? [AUTOSCALERS] : []),
    ...(gang ? [gang.resource] : []),
  ];
  return resources.flatMap((resource) =>
    (given.children?.get(resourceKeyOf(resource)) ?? [])
      .filter(({ labels, terminating }) => !terminating && labels?.[TRAINING_JOB] !== terms.name)
      .map((child) => {
        const patch = { metadata: { labels: { [TRAINING_JOB]: terms.name } } };
        return correctAction({ resource, child }, { type: 'merge', patch }, 'it has no label by which it is watched');
      }),
  );
}
