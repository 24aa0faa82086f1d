// Defaults that the API server fills into pods and pod templates: those of fields, and additions of its usual admission plugins.
import { defaultPullPolicyOf } from '../image-reference.ts';
import type { Pod, PodTemplate } from '../../objects/kubernetes.ts';
import { setRequestDefaults } from './pod-resource-defaults.ts';
import { qosClassOf } from '../../objects/pods/qos-class.ts';
import { dropSwitchedOffFields } from '../switched-off-fields.ts';
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { admittedQuantity, isQuantity } from '../../objects/values/quantity.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { dropUngiven, fieldsOf, isFields, listOf, ownEntry, textOf } from '../../objects/values/untyped-fields.ts';
import { setDivisorDefault, setVolumeDefaults } from '../volume/volume-defaults.ts';

/** Facts that a cluster's admission knows and a pod does not say. */
export interface PodAdmission {
  /** Name the service account `default` where none is named: clusters with the ServiceAccount admission do. */
  namesServiceAccount?: boolean;
  /** The value of the pod's priority class, or of the cluster's default one; 0 if not given. */
  priority?: number;
  /** The preemption policy of that class; `PreemptLowerPriority` if not given. */
  preemptionPolicy?: string;
}

const systemPriorities: Record<string, number> = { 'system-cluster-critical': 2_000_000_000, 'system-node-critical': 2_000_001_000 };
const tolerationSeconds = 300;

/**
 * A pod as the API server answers its creation: defaults, tolerations, priority, phase and QoS class. The input stays
 * untouched; what a status holds already is kept.
 */
export function withPodDefaults(pod: Pod, admission: PodAdmission = {}): Pod {
  const defaulted = withPodFieldDefaults(pod);
  const spec: Fields = defaulted.spec;
  admit(spec, admission);
  const status = { phase: 'Pending', qosClass: qosClassOf(defaulted.spec), ...defaulted.status };
  const gates = listOf(spec['schedulingGates']);
  if (gates.length > 0 && !status.conditions?.some(({ type }) => type === 'PodScheduled')) {
    status.conditions = [...(status.conditions ?? []), gatedCondition()];
  }
  return { ...defaulted, status };
}

/** A pod with the defaults of its fields alone, without what admission adds. The input stays untouched. */
export function withPodFieldDefaults(pod: Pod): Pod {
  const defaulted = treeCopy(pod);
  const spec: Fields = defaulted.spec;
  dropSwitchedOffFields(defaulted.spec);
  // Sums are of the amounts as they were given; the amounts are rounded after that.
  setRequestDefaults(spec);
  setPodSpecDefaults(spec);
  spec['enableServiceLinks'] ??= true;
  if (spec['hostNetwork'] === true) {
    for (const port of portsOf(containersOf(spec, ['containers', 'initContainers']))) port['hostPort'] ||= port['containerPort'];
  }
  return defaulted;
}

/** A pod template with the defaults that the API server stores in any object that holds one. The input stays untouched. */
export function withPodTemplateDefaults(template: PodTemplate): PodTemplate {
  const defaulted = treeCopy(template);
  defaulted.metadata ??= {};
  dropUngiven(fieldsOf(defaulted.metadata), ['labels', 'annotations']);
  defaulted.spec ??= { containers: [] };
  setPodSpecDefaults(defaulted.spec);
  return defaulted;
}

const gatedCondition = () => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

function setPodSpecDefaults(spec: Fields): void {
  dropUngiven(spec, ['nodeSelector', 'overhead']);
  spec['restartPolicy'] ||= 'Always';
  spec['terminationGracePeriodSeconds'] ??= 30;
  spec['dnsPolicy'] ||= 'ClusterFirst';
  // The two names of one field: the older one follows.
  spec['serviceAccountName'] ||= spec['serviceAccount'];
  spec['serviceAccount'] = spec['serviceAccountName'];
  for (const field of ['serviceAccountName', 'serviceAccount']) if (!spec[field]) delete spec[field];
  spec['securityContext'] ??= {};
  spec['schedulerName'] ||= 'default-scheduler';
  for (const container of containersOf(spec, ['containers', 'initContainers', 'ephemeralContainers'])) setContainerDefaults(container);
  for (const volume of listOf(spec['volumes'])) setVolumeDefaults(volume);
  const whole = spec['resources'];
  if (isFields(whole)) setResourceDefaults(whole);
  if (isFields(spec['overhead'])) setQuantityDefaults(spec['overhead']);
}

function setContainerDefaults(container: Fields): void {
  dropUngiven(container);
  container['imagePullPolicy'] ||= defaultPullPolicyOf(textOf(container['image']));
  container['terminationMessagePath'] ||= '/dev/termination-log';
  container['terminationMessagePolicy'] ||= 'File';
  container['resources'] ??= {};
  if (isFields(container['resources'])) setResourceDefaults(container['resources']);
  for (const port of portsOf([container])) port['protocol'] ||= 'TCP';
  for (const variable of listOf(container['env'])) setVariableDefaults(variable);
  for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[field];
    if (isFields(probe)) setProbeDefaults(probe);
  }
  const lifecycle = container['lifecycle'];
  if (!isFields(lifecycle)) return;
  for (const field of ['postStart', 'preStop']) {
    const hook = lifecycle[field];
    if (isFields(hook)) setHttpGetDefaults(hook['httpGet']);
  }
}

function setVariableDefaults(variable: Fields): void {
  dropUngiven(variable);
  if (variable['value'] === '') delete variable['value'];
  const source = variable['valueFrom'];
  if (!isFields(source)) return;
  setFieldReferenceDefaults(source);
  if (isFields(source['fileKeyRef'])) source['fileKeyRef']['optional'] ??= false;
}

/** The references to fields and resources, which variables and downward API files share. */
function setFieldReferenceDefaults(source: Fields): void {
  const { fieldRef, resourceFieldRef } = source;
  if (isFields(fieldRef)) fieldRef['apiVersion'] ||= 'v1';
  if (isFields(resourceFieldRef)) setDivisorDefault(resourceFieldRef);
}

function setProbeDefaults(probe: Fields): void {
  probe['timeoutSeconds'] ||= 1;
  probe['periodSeconds'] ||= 10;
  probe['successThreshold'] ||= 1;
  probe['failureThreshold'] ||= 3;
  if (probe['initialDelaySeconds'] === 0) delete probe['initialDelaySeconds'];
  setHttpGetDefaults(probe['httpGet']);
  if (isFields(probe['grpc'])) probe['grpc']['service'] ??= '';
}

function setHttpGetDefaults(action: unknown): void {
  if (!isFields(action)) return;
  action['path'] ||= '/';
  action['scheme'] ||= 'HTTP';
}

function setResourceDefaults(resources: Fields): void {
  dropUngiven(resources);
  for (const field of ['requests', 'limits']) {
    const list = resources[field];
    if (!isFields(list)) continue;
    setQuantityDefaults(list);
    if (Object.keys(list).length === 0) delete resources[field];
  }
}

/** Canonical texts; what is no quantity stays for validation to refuse. */
function setQuantityDefaults(list: Fields): void {
  for (const [name, value] of Object.entries(list)) if (isQuantity(value)) list[name] = admittedQuantity(value);
}

function admit(spec: Fields, { namesServiceAccount = false, priority, preemptionPolicy }: PodAdmission): void {
  if (namesServiceAccount && !spec['serviceAccountName']) spec['serviceAccount'] = spec['serviceAccountName'] = 'default';
  spec['priority'] ??= ownEntry(systemPriorities, textOf(spec['priorityClassName'])) ?? priority ?? 0;
  spec['preemptionPolicy'] ??= preemptionPolicy ?? 'PreemptLowerPriority';
  const tolerations = listOf(spec['tolerations']);
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const isTolerated = tolerations.some(
      (toleration) => (!toleration['key'] || toleration['key'] === key) && (!toleration['effect'] || toleration['effect'] === 'NoExecute'),
    );
    if (!isTolerated) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });
  }
  spec['tolerations'] = tolerations;
}

const containersOf = (spec: Fields, fields: string[]): Fields[] => fields.flatMap((field) => listOf(spec[field]));
const portsOf = (containers: Fields[]): Fields[] => containers.flatMap((container) => listOf(container['ports']));
