// Allowed changes of a stored pod and of its status.
import { isSameValue } from '../equality.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../objects/kubernetes.ts';
import { validateObjectMetaUpdate } from '../metadata/object-metadata-validation.ts';
import { validatePodObject } from './pod-spec-validation.ts';
import { fieldIsImmutable, forbidden, invalidValue, uniqueRefusals } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf } from '../../objects/values/untyped-fields.ts';

const changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The refusals of a change of a pod: `next` with its defaults, `previous` as stored. */
export function validatePodUpdate(next: Pod, previous: Pod): FieldError[] {
  const refusals = [...validateObjectMetaUpdate(next.metadata, previous.metadata), ...validatePodObject(next)];
  for (const list of ['containers', 'initContainers'] as const) {
    if ((next.spec[list] ?? []).length === (previous.spec[list] ?? []).length) continue;
    return uniqueRefusals([...refusals, forbidden(`spec.${list}`, 'pod updates may not add or remove containers')]);
  }
  const ofDeadline = validateDeadlineUpdate(next.spec, previous.spec);
  refusals.push(...ofDeadline);
  if (ofDeadline.length > 0 && next.spec['activeDeadlineSeconds'] !== undefined) return uniqueRefusals(refusals);
  refusals.push(...validateTolerationsUpdate(next.spec, previous.spec), ...validateGatesUpdate(next.spec, previous.spec));
  refusals.push(...validateRest(next.spec, previous.spec));
  return uniqueRefusals(refusals);
}

/** It may be set, and made shorter. */
function validateDeadlineUpdate(next: PodSpec, previous: PodSpec): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const [seconds, stored] = [numberOf(next['activeDeadlineSeconds']), numberOf(previous['activeDeadlineSeconds'])];
  if (seconds === undefined) {
    return stored === undefined ? [] : [invalidValue(field, seconds, 'must not update from a positive integer to nil value')];
  }
  if (seconds < 0 || seconds > LARGEST_INT32) return [invalidValue(field, seconds, `must be between 0 and ${LARGEST_INT32}, inclusive`)];
  return stored !== undefined && stored < seconds ? [invalidValue(field, seconds, 'must be less than or equal to previous value')] : [];
}

/** A toleration without the one field of it that may change. */
const essence = ({ tolerationSeconds: _tolerationSeconds, ...toleration }: Fields): Fields => toleration;

function validateTolerationsUpdate(next: PodSpec, previous: PodSpec): FieldError[] {
  const now = listOf(next['tolerations']).map(essence);
  const isKept = listOf(previous['tolerations']).every((stored) => now.some((toleration) => isSameValue(toleration, essence(stored))));
  return isKept ? [] : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function validateGatesUpdate(next: PodSpec, previous: PodSpec): FieldError[] {
  const stored = listOf(previous['schedulingGates']).map((gate) => textOf(gate['name']));
  return listOf(next['schedulingGates']).flatMap((gate, at) => {
    const name = textOf(gate['name']);
    if (stored.includes(name)) return [];
    return [forbidden(`spec.schedulingGates[${at}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`)];
  });
}

/** No other field may change, except the placement of a gated pod. */
function validateRest(next: PodSpec, previous: PodSpec): FieldError[] {
  const refusals: FieldError[] = [];
  const allowed: PodSpec = {
    ...next,
    containers: withImagesOf(next.containers, previous.containers),
    initContainers: withImagesOf(next.initContainers ?? [], previous.initContainers ?? []),
    activeDeadlineSeconds: previous['activeDeadlineSeconds'],
    schedulingGates: previous['schedulingGates'],
    tolerations: previous['tolerations'],
  };
  if ((previous.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    allowed.terminationGracePeriodSeconds = previous.terminationGracePeriodSeconds ?? 1;
  }
  if (listOf(previous['schedulingGates']).length > 0) {
    refusals.push(...validateNodeSelectorUpdate(next['nodeSelector'], previous['nodeSelector']));
    allowed['nodeSelector'] = previous['nodeSelector'];
    refusals.push(...validateNodeAffinityUpdate(next['affinity'], previous['affinity']));
    allowed['affinity'] = withNodeAffinityOf(next['affinity'], previous['affinity']);
  }
  if (isSameValue(allowed, previous, 'spec')) return refusals;
  const changed = Object.keys({ ...allowed, ...previous }).filter((field) => !isSameValue(allowed[field], previous[field], field));
  return [
    ...refusals,
    forbidden('spec', `pod updates may not change fields other than ${changeable}\nchanged: ${changed.toSorted().join(', ')}`),
  ];
}

const withImagesOf = (containers: Container[], stored: Container[]): Container[] =>
  containers.map((container, at) => {
    const image = stored[at]?.image;
    return image === undefined ? container : { ...container, image };
  });

function validateNodeSelectorUpdate(next: unknown, previous: unknown): FieldError[] {
  const [now, stored] = [fieldsOf(next), fieldsOf(previous)];
  const isKept = Object.entries(stored).every(([key, value]) => now[key] === value);
  return isKept
    ? []
    : [invalidValue('spec.nodeSelector', next, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')];
}

/** A gated pod's required terms may be set, or each be narrowed; the preferred ones are free. */
function validateNodeAffinityUpdate(next: unknown, previous: unknown): FieldError[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const field = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  const stored = fieldsOf(fieldsOf(previous)['nodeAffinity'])[required];
  if (!isFields(stored)) return [];
  const storedTerms = listOf(stored['nodeSelectorTerms']);
  const terms = listOf(fieldsOf(fieldsOf(fieldsOf(next)['nodeAffinity'])[required])['nodeSelectorTerms']);
  if (storedTerms.length > 0 && terms.length !== storedTerms.length) {
    return [
      invalidValue(field, terms.length === 0 ? undefined : terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'),
    ];
  }
  return storedTerms.flatMap((storedTerm, at) => {
    const term = terms[at] ?? {};
    const isEmpty = listOf(storedTerm['matchExpressions']).length + listOf(storedTerm['matchFields']).length === 0;
    const startsAlike = ['matchExpressions', 'matchFields'].every((list) =>
      listOf(storedTerm[list]).every((expression, place) => isSameValue(expression, listOf(term[list])[place])),
    );
    const isNarrowed = isEmpty ? isSameValue(term, storedTerm) : startsAlike;
    return isNarrowed ? [] : [invalidValue(`${field}[${at}]`, term, 'only additions are allowed (no mutations or deletions)')];
  });
}

function withNodeAffinityOf(affinity: unknown, stored: unknown): unknown {
  const { nodeAffinity: _nodeAffinity, ...others } = fieldsOf(affinity);
  const nodeAffinity = fieldsOf(stored)['nodeAffinity'];
  const merged = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  return Object.keys(merged).length === 0 && !isFields(stored) ? undefined : merged;
}

/** The refusals of a change of a pod's status; of `next`, its spec is not read. */
export function validatePodStatusUpdate(next: Pod, previous: Pod): FieldError[] {
  const refusals = validateObjectMetaUpdate(next.metadata, previous.metadata);
  const [qosClass, stored] = [next.status?.['qosClass'], previous.status?.['qosClass']];
  if (qosClass !== stored) refusals.push(invalidValue('status.qosClass', qosClass, fieldIsImmutable));
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    refusals.push(...validateStates(next.status?.[list] ?? [], previous.status?.[list] ?? [], { list, spec: previous.spec }));
  }
  return uniqueRefusals(refusals);
}

/** A container that ended and is not started again stays ended. */
function validateStates(
  next: readonly ContainerStatus[],
  previous: readonly ContainerStatus[],
  { list, spec }: { list: 'containerStatuses' | 'initContainerStatuses'; spec: PodSpec },
): FieldError[] {
  const containers = (list === 'containerStatuses' ? spec.containers : spec.initContainers) ?? [];
  return previous.flatMap(({ name, state }, at) => {
    const ended = state?.terminated;
    const now = next.find((status) => status.name === name);
    if (ended === undefined || now === undefined || now.state?.terminated !== undefined) return [];
    const container = containers.find((candidate) => candidate.name === name);
    if (container !== undefined && mayRestart(container, spec, ended.exitCode)) return [];
    return [forbidden(`status.${list}[${at}].state`, 'may not be transitioned to non-terminated state')];
  });
}

function mayRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  for (const rule of listOf(container['restartPolicyRules'])) {
    const { operator, values } = fieldsOf(rule['exitCodes']);
    const isListed = Array.isArray(values) && values.includes(exitCode);
    if (operator === 'In' ? isListed : operator === 'NotIn' && !isListed) return textOf(rule['action']).startsWith('Restart');
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
