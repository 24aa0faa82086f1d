// The children of training jobs other than pods: what each is found by, and what is compared of it.
import { SERVICES } from '../../objects/resources.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { Json, KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { adoptsBy, childrenBy } from '../rows/belonging.ts';
import type { NewChild } from '../rows/define-facts.ts';
import { AUTOSCALERS, autoscalerPartOf } from './objects/autoscaler.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { gangSchedulerOf, groupPartOf, PLUGIN_GROUPS, VOLCANO_GROUPS } from './objects/gang.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { GANG_SCHEDULER } from './names/settings.ts';
import { baseLabels, JOB_NAME, TRAINING_JOB } from './names/slots.ts';

const nothingOf = (): Json => ({});

/** @param owner the job's own resource */
export function childrenOf(names: FrameworkNames, owner: Resource): readonly NewChild<TrainingJob>[] {
  const ofLabel = (
    resource: Resource,
    partOf: (object: KubernetesObject) => Json,
    fields: Exclude<WantedFields, boolean>,
  ): NewChild<TrainingJob> => ({ resource, fields, partOf, ...childrenBy(owner, TRAINING_JOB) });
  const groups = [VOLCANO_GROUPS, PLUGIN_GROUPS].map((resource): NewChild<TrainingJob> => ({
    ...ofLabel(resource, groupPartOf, { spec: true, status: { phase: true } }),
    isUsed: ({ options }) => gangSchedulerOf(options?.[GANG_SCHEDULER] ?? '')?.resource === resource,
  }));
  if (names.objects)
    return [
      ...names.objects.map(({ resource, partOf, fields }) => ({
        ...ofLabel(resource, partOf, fields),
        plannerTellsOfTakenNames: true as const,
      })),
      ...groups,
    ];
  const services: NewChild<TrainingJob> = {
    resource: SERVICES,
    fields: {},
    watch: { labelSelector: JOB_NAME },
    mayAdopt: adoptsBy((name) => baseLabels(names, name)),
    plannerTellsOfTakenNames: true,
    partOf: nothingOf,
  };
  const scaler = { ...ofLabel(AUTOSCALERS, autoscalerPartOf, { spec: true }), plannerTellsOfTakenNames: true as const };
  return [services, ...(names.isAutoscaled ? [scaler] : []), ...groups];
}
