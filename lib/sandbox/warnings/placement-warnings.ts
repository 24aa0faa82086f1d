// Warnings about accepted wishes of a pod about where it runs.
import type { PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfLabelValue } from '../../objects/names.ts';
import { textsOf } from '../../objects/values/untyped-fields.ts';
import { fieldsAt, isFields, listAt, textAt, type Fields } from '../api-object.ts';

/** Labels of nodes that others have taken the place of, and since when. */
const OLD_LABELS: ReadonlyMap<string, { since: string; now: string }> = new Map([
  ['beta.kubernetes.io/arch', { since: 'v1.14', now: 'kubernetes.io/arch' }],
  ['beta.kubernetes.io/os', { since: 'v1.14', now: 'kubernetes.io/os' }],
  ['beta.kubernetes.io/instance-type', { since: 'v1.17', now: 'node.kubernetes.io/instance-type' }],
  ['failure-domain.beta.kubernetes.io/region', { since: 'v1.17', now: 'topology.kubernetes.io/region' }],
  ['failure-domain.beta.kubernetes.io/zone', { since: 'v1.17', now: 'topology.kubernetes.io/zone' }],
]);
const [REQUIRED, PREFERRED] = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];
const NO_SELECTOR = 'a null labelSelector results in matching no pod';

/** Of nodes and of a spread over them; `path` is the spec's. */
export function warningsOfNodes(spec: PodSpec, path: string): string[] {
  const nodes = fieldsAt(fieldsAt(spec, 'affinity'), 'nodeAffinity');
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(fieldsAt(spec, 'nodeSelector')).flatMap((label) => ofOldLabel(label, `${path}.nodeSelector[${label}]: `)),
    ...listAt(fieldsAt(nodes, REQUIRED), 'nodeSelectorTerms').flatMap((term, place) =>
      ofTerm(term, `${at}.${REQUIRED}.nodeSelectorTerms[${place}]`, { areValuesChecked: false }),
    ),
    ...listAt(nodes, PREFERRED).flatMap((wish, place) =>
      ofTerm(fieldsAt(wish, 'preference'), `${at}.${PREFERRED}[${place}].preference`, { areValuesChecked: true }),
    ),
    ...listAt(spec, 'topologySpreadConstraints').flatMap((constraint, place) => {
      const [own, key] = [`${path}.topologySpreadConstraints[${place}]`, textAt(constraint, 'topologyKey')];
      return [...ofOldLabel(key, `${own}.topologyKey: ${key} is `), ...ofSelector(constraint, own)];
    }),
  ];
}

/** Of pods to be near or far from. */
export function warningsOfPodAffinity(spec: PodSpec, path: string): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const [affinity, at] = [fieldsAt(fieldsAt(spec, 'affinity'), kind), `${path}.affinity.${kind}`];
    return [
      ...listAt(affinity, REQUIRED).flatMap((term, place) => ofSelector(term, `${at}.${REQUIRED}[${place}]`)),
      ...listAt(affinity, PREFERRED).flatMap((wish, place) =>
        ofSelector(fieldsAt(wish, 'podAffinityTerm'), `${at}.${PREFERRED}[${place}].podAffinityTerm`),
      ),
    ];
  });
}

/** Values that nodes must have are refused where no label can have them; those that they should have are warned of. */
function ofTerm(term: Fields, path: string, { areValuesChecked }: { areValuesChecked: boolean }): string[] {
  return listAt(term, 'matchExpressions').flatMap((expression, at) => {
    const [own, key] = [`${path}.matchExpressions[${at}]`, textAt(expression, 'key')];
    const values = areValuesChecked ? textsOf(expression['values']) : [];
    return [
      ...ofOldLabel(key, `${own}.key: ${key} is `),
      ...values.flatMap((value, place) =>
        problemsOfLabelValue(value).map((problem) => `${own}.values[${place}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}

function ofOldLabel(label: string, before: string): string[] {
  const old = OLD_LABELS.get(label);
  return old ? [`${before}deprecated since ${old.since}; use ${JSON.stringify(old.now)} instead`] : [];
}

const ofSelector = (of: Fields, path: string): string[] => (isFields(of['labelSelector']) ? [] : [`${path}.labelSelector: ${NO_SELECTOR}`]);
