// Whether a job is valid: the controller's own rules first, then those that only admission has, in the words of each. The first fault is reported.
import type { EnvVar } from '../../../objects/kubernetes.ts';
import { MULTI_KUEUE, trainingSettingsOf } from '../names/settings.ts';
import { containersIn, replicaSpecsOf } from './replica-specs.ts';
import { problemsOfOlderDnsLabel } from '../../../objects/names.ts';
import { ClusterSpecError, type ControllerWords, type Framework, type Terms } from './framework.ts';
import type { ReplicaSpec, TrainingJob } from './job-types.ts';
import { termsOf } from './terms.ts';
import { nameOfSlot } from '../names/slots.ts';

/** Why the job is invalid, as it follows `<Kind> failed validation because`; undefined if it is valid. @param job whole, without defaults */
export function problemOf(framework: Framework, job: TrainingJob): string | undefined {
  const { validation, kind, replicasField } = framework;
  const { name = '' } = job.metadata;
  const words = validation.controller;
  const nameProblems = validation.takesAnyName ? [] : problemsOfOlderDnsLabel(name);
  if (words && nameProblems.length > 0) return `${kind} name is invalid: [${nameProblems.join(' ')}]`;
  if (nameProblems.length > 0) return `metadata.name: Invalid value: ${JSON.stringify(name)}: should match: ${nameProblems.join(', ')}`;
  const specs = replicaSpecsOf(framework, job);
  if (!specs) return words ? words.spec : `spec.${replicasField}: Required value: must be required`;
  return (
    typesProblem(framework, specs) ??
    (words ? controllerProblem(framework, words, specs) : structuralProblem(framework, specs)) ??
    neededProblem(framework, specs) ??
    validation.further?.(job, specs) ??
    validation.atAdmission?.(job, specs) ??
    countProblem(framework, specs) ??
    sizeProblem(framework, job) ??
    managerProblem(framework, job) ??
    typeNameProblem(framework, job) ??
    nameLengthProblem(framework, job) ??
    environmentProblem(framework, job)
  );
}

/** Types of one job. A TFJob takes any: each is looked at in each pass, and stands in the environment of each pod. */
const MOST_TYPES = 16;

function typesProblem({ replicasField }: Framework, specs: Record<string, ReplicaSpec>): string | undefined {
  const count = Object.keys(specs).length;
  return count > MOST_TYPES ? `spec.${replicasField}: Too many: ${count}: must have at most ${MOST_TYPES} items` : undefined;
}

const inOrder = ({ types }: Framework, specs: Record<string, ReplicaSpec>): [string, ReplicaSpec][] =>
  Object.entries(specs).toSorted(([a], [b]) => rank(types, a) - rank(types, b) || (a < b ? -1 : 1));

const rank = (types: readonly string[], type: string): number => (types.includes(type) ? types.indexOf(type) : types.length);

const hasType = ({ types, renamed }: Framework, type: string): boolean =>
  types.includes(type) || renamed.some((known) => known.toLowerCase() === type.toLowerCase());

function controllerProblem(framework: Framework, words: ControllerWords, specs: Record<string, ReplicaSpec>): string | undefined {
  const { validation, types, container } = framework;
  const said = (text: string): string => (words.isTerse ? words.spec : text);
  for (const [type, spec] of inOrder(framework, specs)) {
    const containers = containersIn(spec.template);
    if (containers.length === 0) return said(`${words.spec}: containers definition expected in ${type}`);
    if (!validation.takesAnyType && !(words.type ? types.includes(type) : hasType(framework, type)))
      return said(`${words.type ?? framework.kind} is ${type} but must be one of [${types.join(' ')}]`);
    if (containers.some(({ image }) => !image)) return said(`${words.container}: Image is undefined in the container of ${type}`);
    if (validation.takesAnyContainer) {
      if (containers.some(({ name }) => !name)) return said(`${words.container}: ImageName is undefined in the container of ${type}`);
    } else if (!containers.some(({ name }) => name === container))
      return said(`${words.container}: There is no container named ${container} in ${type}`);
    const { single } = validation;
    if (single?.type === type && spec.replicas !== undefined && spec.replicas !== 1) return single.otherwise;
  }
  return undefined;
}

/** Admission's rules about replica types and their templates. All faults, in one list. */
function structuralProblem({ replicasField, types, container }: Framework, specs: Record<string, ReplicaSpec>): string | undefined {
  const faults = Object.entries(specs).flatMap(([type, spec]) => {
    const at = `spec.${replicasField}[${type}]`;
    const supported = types.map((known) => JSON.stringify(known)).join(', ');
    const containers = containersIn(spec.template);
    const path = `${at}.template.spec.containers`;
    return [
      ...(types.includes(type) ? [] : [`${at}: Unsupported value: ${JSON.stringify(type)}: supported values: ${supported}`]),
      ...(containers.length > 0 ? [] : [`${path}: Required value: must be specified`]),
      ...containers.flatMap(({ image }, index) => (image ? [] : [`${path}[${index}].image: Required value: must be required`])),
      ...(containers.some(({ name }) => name === container)
        ? []
        : [`${path}: Required value: must have at least one container with name ${container}`]),
    ];
  });
  return listed(faults);
}

const listed = (faults: readonly string[]): string | undefined =>
  faults.length === 0 ? undefined : faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`;

const neededProblem = ({ validation: { needs } }: Framework, specs: Record<string, ReplicaSpec>): string | undefined =>
  needs && !Object.hasOwn(specs, needs.type) ? needs.otherwise : undefined;

function countProblem(framework: Framework, specs: Record<string, ReplicaSpec>): string | undefined {
  const { replicasField, validation } = framework;
  for (const [type, { replicas }] of inOrder(framework, specs)) {
    const at = `spec.${replicasField}[${type}].replicas`;
    if (validation.single?.type === type) {
      if (validation.single.isRequired && replicas !== 1) return `${at}: Forbidden: must be 1`;
    } else if (replicas !== undefined && replicas < (validation.leastReplicas ?? 0)) {
      if (validation.leastReplicas !== undefined) return `${at}: Forbidden: must be at least ${validation.leastReplicas}`;
      return `${at}: Invalid value: ${replicas}: must be greater than or equal to 0`;
    }
  }
  return undefined;
}

/** Replicas of one job. A cluster holds no more pods, and a pass looks at each. */
const MOST_REPLICAS = 100_000;

function sizeProblem(framework: Framework, job: TrainingJob): string | undefined {
  let left = MOST_REPLICAS;
  for (const { type, wanted } of termsOf(framework, job).replicas) {
    if (wanted > left)
      return `spec.${framework.replicasField}[${type}].replicas: Invalid value: ${wanted}: a job has no more than ${MOST_REPLICAS} replicas`;
    left -= wanted;
  }
  return undefined;
}

/** The two managers that the field may name. */
export const OWN_MANAGER = 'kubeflow.org/training-operator';

function managerProblem({ isOfBase }: Framework, { spec }: TrainingJob): string | undefined {
  const named = spec.runPolicy?.managedBy;
  if (isOfBase || named === undefined || named === OWN_MANAGER || named === MULTI_KUEUE) return undefined;
  return `spec.runPolicy.managedBy: Unsupported value: ${JSON.stringify(named)}: supported values: "${MULTI_KUEUE}", "${OWN_MANAGER}"`;
}

/** Replicas differ by their type in lower case, which is a part of their names. */
function typeNameProblem(framework: Framework, job: TrainingJob): string | undefined {
  const known = new Map<string, string>();
  for (const { type } of termsOf(framework, job).replicas) {
    const at = `spec.${framework.replicasField}[${type}]: Invalid value: ${JSON.stringify(type)}`;
    const lower = type.toLowerCase();
    const other = known.get(lower);
    if (other !== undefined) return `${at}: its replicas have the names of those of ${other}`;
    known.set(lower, type);
    if (!TYPE_IN_NAMES.test(lower)) return `${at}: names of replicas take letters, digits and '-' of it alone`;
  }
  return undefined;
}

const TYPE_IN_NAMES = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;

/** The names of slots are names of services too, so they are labels of DNS. */
function nameLengthProblem(framework: Framework, job: TrainingJob): string | undefined {
  const { name, replicas } = termsOf(framework, job);
  for (const { type, wanted } of replicas) {
    const longest = nameOfSlot(name, { type, index: Math.max(wanted - 1, 0) });
    if (longest.length > LONGEST_LABEL)
      return `metadata.name: Invalid value: ${JSON.stringify(name)}: the name of its replica ${longest} must be no more than ${LONGEST_LABEL} characters`;
  }
  return undefined;
}

/** Bytes that Linux takes for one variable, its name and its end among them: no process starts with a longer one. */
const LONGEST_VARIABLE = 131_072;
/** With fewer replicas no list of them is as long. */
const FEWEST_THAT_COUNT = 400;

/** Of a job whose pods could not start: each would carry a list of all. */
function environmentProblem(framework: Framework, job: TrainingJob): string | undefined {
  const terms = termsOf(framework, job);
  if (terms.replicas.reduce((sum, { wanted }) => sum + wanted, 0) < FEWEST_THAT_COUNT) return undefined;
  const largest = terms.replicas.toSorted((a, b) => b.wanted - a.wanted)[0];
  if (!largest) return undefined;
  for (const { name, value = '' } of variablesOf(terms, { type: largest.type, index: largest.wanted - 1 })) {
    const bytes = Buffer.byteLength(`${name}=${value}`) + 1;
    if (bytes > LONGEST_VARIABLE)
      return `spec.${framework.replicasField}: Invalid value: the variable ${name} of its replicas would have ${bytes} bytes, and no process starts with more than ${LONGEST_VARIABLE}: take fewer replicas`;
  }
  return undefined;
}

function variablesOf(terms: Terms, slot: { type: string; index: number }): readonly EnvVar[] {
  try {
    return terms.framework.rendezvous(terms, slot, trainingSettingsOf(undefined)).variables;
  } catch (error) {
    // A container without the port is a fault of its own, which the pass reports.
    if (error instanceof ClusterSpecError) return [];
    throw error;
  }
}
