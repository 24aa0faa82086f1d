// A pod with the Job tracking finalizer that names no Job: a workload of its own, whose owner is never there.
import type { ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import { isBuiltInOff } from '../job/terms/managed-by.ts';
import { controllerOf, isTracked } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import { JOB_SETTINGS } from '../job/settings.ts';
import { terminatedPods } from '../job/counting/terminated-pods.ts';
import { defineFacts } from '../rows/define-facts.ts';
import type { Membership } from '../rows/kind.ts';

export const orphanPodFacts = defineFacts<WorkloadObject>({
  kind: 'OrphanPod',
  resource: PODS,
  fields: {},
  isOwnerless: true,
  component: 'job-controller',
  repeatedReasons: new Set(),
  refusedReasons: { create: 'FailedCreate', delete: 'FailedDelete' },
  factsOf: (object) => object,
  faultOf: () => ({ field: '', expected: 'no owner: this kind has none' }),
  settings: JOB_SETTINGS,
  isManaged: () => true,
  isAlone: isBuiltInOff,
  hasStarted: () => true,
  isFinished: () => false,
  expectedChildren: () => 1,
  pods: {
    haveTrackingFinalizer: true,
    namesHoldNumbers: true,
    membershipOf,
    selection: ({ name }) => ({ fieldSelector: `metadata.name=${name}` }),
    concerns: (key, { uid, controller }) => uid === key.uid && controller === undefined,
    isCountedIn: () => () => true,
    nameOf: ({ metadata }) => metadata.name ?? '',
    urgencyOf: () => 'soon',
    counted: [terminatedPods],
  },
});

/** A pod with the finalizer and no controller. One that carries a Job's labels belongs to that Job, whose kind is asked first. */
function membershipOf(metadata: ObjectMeta): Membership | undefined {
  if (!isTracked(metadata) || controllerOf(metadata.ownerReferences) !== undefined) return undefined;
  const { namespace = '', name = '', uid = '' } = metadata;
  return { kind: 'OrphanPod', namespace, name, uid, by: 'finalizer' };
}
