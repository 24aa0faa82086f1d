// The pods of a job, made from their templates.
import type { Framework, Rendezvous, Replicas, Terms } from '../terms/framework.ts';
import type { Container, Pod, PodSpec, PodTemplate } from '../../../objects/kubernetes.ts';
import { CHILD_NUMBER } from '../../../objects/pods/pod-facts.ts';
import { decorated, type GangScheduler } from './gang.ts';
import { JOB_FAILURES, SLOT_FAILURES } from '../../../objects/pods/asked-facts.ts';
import { podRestartPolicy } from '../status/restarts.ts';
import type { TrainingSettings } from '../names/settings.ts';
import { JOB_ROLE, nameOfSlot, slotLabels } from '../names/slots.ts';
import { ownerReferenceOf } from '../terms/terms.ts';

export interface PodOrder {
  replicas: Replicas;
  index: number;
  /** Counts the uses of the pod's name. */
  number: number;
  /** Failures that were handled before: of the slot, and of the job. */
  failures: { slot: number; job: number };
}

export interface PodMaking {
  settings: TrainingSettings;
  gang: GangScheduler | undefined;
}

/** A pod of the slot. Of the template it takes labels, annotations, finalizers and spec. @throws ClusterSpecError */
export function podOf(terms: Terms, order: PodOrder, { settings, gang }: PodMaking): Pod {
  const { replicas, index } = order;
  const { framework, name: job } = terms;
  const slot = { type: replicas.type, index };
  const rendezvous = framework.rendezvous(terms, slot, settings);
  const isMaster = framework.isMaster(terms, slot);
  const labels = { ...slotLabels(framework, job, slot), ...(isMaster && { [JOB_ROLE]: 'master' }) };
  const spec = withRendezvous(replicas.template?.spec ?? { containers: [] }, rendezvous);
  return madePod(terms, order, { name: nameOfSlot(job, slot), labels, spec, gang });
}

/** The part that pods of every kind share. */
export function madePod(
  terms: Terms,
  { replicas, number, failures }: PodOrder,
  { name, labels, spec, gang }: { name: string; labels: Record<string, string>; spec: PodSpec; gang: GangScheduler | undefined },
): Pod {
  const { metadata = {} } = replicas.template ?? {};
  const annotations = {
    ...metadata.annotations,
    [CHILD_NUMBER]: String(number),
    ...(failures.slot > 0 && { [SLOT_FAILURES]: String(failures.slot) }),
    ...(failures.job > 0 && { [JOB_FAILURES]: String(failures.job) }),
  };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: terms.namespace,
      labels: { ...metadata.labels, ...labels },
      annotations,
      ...(metadata.finalizers && { finalizers: [...metadata.finalizers] }),
      ownerReferences: [ownerReferenceOf(terms)],
    },
    spec: { ...spec, restartPolicy: podRestartPolicy(replicas.restartPolicy) },
  };
  return gang ? decorated(pod, gang, { job: terms.name, type: replicas.type }) : pod;
}

function withRendezvous(spec: PodSpec, { variables, onlyIn, initContainers = [] }: Rendezvous): PodSpec {
  const first = onlyIn === undefined ? -1 : spec.containers.findIndex(({ name }) => name === onlyIn);
  const takes = (at: number): boolean => variables.length > 0 && (onlyIn === undefined || at === first);
  return {
    ...spec,
    containers: spec.containers.map((container, at) => (takes(at) ? withVariables(container, variables) : container)),
    ...(initContainers.length > 0 && { initContainers: [...(spec.initContainers ?? []), ...initContainers] }),
  };
}

/** The user's own come first. */
export const withVariables = (container: Container, variables: Rendezvous['variables']): Container => ({
  ...container,
  env: [...(Array.isArray(container.env) ? container.env : []), ...variables],
});

const POLICY_WILL_BE_OVERWRITTEN = 'Restart policy in pod template will be overwritten by restart policy in replica spec';
const SCHEDULER_STAYS = 'Another scheduler is specified when gang-scheduling is enabled and it will not be overwritten';

interface Warning {
  reason: string;
  message: string;
}

export const setsRestartPolicy = (template: PodTemplate | undefined): boolean => Boolean(template?.spec.restartPolicy);

export const restartPolicyWarning = (framework: Framework): Warning => ({
  reason: framework.warnsByOldNames ? 'SettedPodTemplateRestartPolicy' : 'SetPodTemplateRestartPolicy',
  message: POLICY_WILL_BE_OVERWRITTEN,
});

export const schedulerWarning = (framework: Framework): Warning => ({
  reason: framework.warnsByOldNames ? 'SettedPodTemplateSchedulerName' : 'SetPodTemplateSchedulerName',
  message: SCHEDULER_STAYS,
});
