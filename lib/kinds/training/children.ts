// The children of training jobs other than pods: what each is found by, and what is compared of it.
import type { WantedFields } from '../../objects/field-mask.ts';
import type { Json, KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import { controllerOf } from '../../objects/pods/pod-facts.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ChildFacts, Membership } from '../rows/kind.ts';
import { AUTOSCALERS, autoscalerPartOf } from './objects/autoscaler.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { gangSchedulerOf, groupPartOf, PLUGIN_GROUPS, VOLCANO_GROUPS } from './objects/gang.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { SERVICES } from './objects/services.ts';
import { GANG_SCHEDULER } from './names/settings.ts';
import { baseLabels, hasBaseLabels, JOB_NAME, TRAINING_JOB } from './names/slots.ts';

const GROUP = 'kubeflow.org/';
/** A longer name is no label value, so no list can name it. Such a job is invalid and has no children. */
const LONGEST_LABEL = 63;

/** The job that controls the object. */
export const membershipIn =
  ({ kind }: Pick<FrameworkNames, 'kind'>) =>
  ({ namespace = '', ownerReferences }: ObjectMeta): Membership | undefined => {
    const controller = controllerOf(ownerReferences);
    if (controller?.kind !== kind || !controller.apiVersion.startsWith(GROUP)) return undefined;
    return { kind, namespace, name: controller.name, uid: controller.uid, by: 'controller' };
  };

/** Selects pods and services of a job by upstream's labels. */
export const baseSelection =
  (names: Pick<FrameworkNames, 'controller'>) =>
  ({ name }: Pick<WorkloadKey, 'name'>): { labelSelector: string } => ({
    labelSelector: Object.entries(baseLabels(names, name.slice(0, LONGEST_LABEL)))
      .map(([label, value]) => `${label}=${value}`)
      .join(','),
  });

const ownSelection = ({ name }: Pick<WorkloadKey, 'name'>): { labelSelector: string } => ({
  labelSelector: `${TRAINING_JOB}=${name.slice(0, LONGEST_LABEL)}`,
});

const nothingOf = (): Json => ({});

export function childrenOf(names: FrameworkNames): readonly ChildFacts<TrainingJob>[] {
  const membershipOf = membershipIn(names);
  const ofLabel = (
    resource: Resource,
    partOf: (object: KubernetesObject) => Json,
    fields: Exclude<WantedFields, boolean>,
  ): ChildFacts<TrainingJob> => ({
    resource,
    fields: { apiVersion: true, kind: true, metadata: { '*': true, managedFields: false }, ...fields },
    watch: { labelSelector: TRAINING_JOB },
    membershipOf,
    selection: ownSelection,
    partOf,
    revision: 1,
    refusedReasons: { create: `FailedCreate${resource.kind}`, delete: `FailedDelete${resource.kind}` },
  });
  const groups = [VOLCANO_GROUPS, PLUGIN_GROUPS].map((resource): ChildFacts<TrainingJob> => ({
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
  const services: ChildFacts<TrainingJob> = {
    ...ofLabel(SERVICES, nothingOf, {}),
    watch: { labelSelector: JOB_NAME },
    mayAdopt: ({ namespace, name }, metadata) => metadata.namespace === namespace && hasBaseLabels(names, name, metadata.labels),
    selection: baseSelection(names),
    plannerTellsOfTakenNames: true,
  };
  const scaler = { ...ofLabel(AUTOSCALERS, autoscalerPartOf, { spec: true }), plannerTellsOfTakenNames: true as const };
  return [services, ...(names.isAutoscaled ? [scaler] : []), ...groups];
}
