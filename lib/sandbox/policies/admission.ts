// Every write is put to the admission policies that are bound to such requests.
import { matcherOf } from '../../objects/label-selector.ts';
import { EvaluationError, untyped } from '../cel/values/values.ts';
import type { Value } from '../cel/values/values.ts';
import { ApiError } from '../objects/api-error.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { apiVersionOf, storageName } from '../rows/resources.ts';
import type { Resources } from '../rows/resources.ts';
import type { Person } from '../objects/asker.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOf } from '../storage/version.ts';
import type { Version } from '../storage/version.ts';
import { LazyVariables, namespaceValue, programsOf, requestValue } from './policy-expressions.ts';
import type { PolicyProgram, PolicyPrograms, Variables } from './policy-expressions.ts';
import { matchedRow } from './policy-matching.ts';
import type { AdmissionAttributes } from './policy-matching.ts';
import { bindingSpecOf, policySpecOf } from './policy-shapes.ts';
import type { ParamRef, PolicySpec, Validation } from './policy-shapes.ts';

const group = 'admissionregistration.k8s.io';
const policies = `validatingadmissionpolicies.${group}`;
const bindings = `validatingadmissionpolicybindings.${group}`;
/** Of one policy on one request. */
const mostSteps = 10_000_000;
const longestMessageBytes = 5 * 1024;

export interface AdmissionRequest extends AdmissionAttributes {
  asker: Person;
  isDryRun: boolean;
}

interface Cluster {
  storage: Storage;
  resources: Resources;
}

/** A policy's verdict on a request; undefined for one that it lets pass. */
interface Denial {
  message: string;
  reason?: string;
}

/**
 * Puts a write to the policies, after all other rules.
 * @param warnings takes those of bindings that warn, where the write is refused by another as well
 * @throws ApiError 422, or as the reason of the first denial says
 */
export function admit(cluster: Cluster, request: AdmissionRequest, warnings: string[]): void {
  const bound = cluster.storage.list(bindings);
  if (bound.length === 0 || isExcluded(request.row)) return;
  let refusal: ApiError | undefined;
  for (const policy of cluster.storage.list(policies)) {
    const name = policy.object.metadata.name ?? '';
    const spec = policySpecOf(policy.object);
    const row = matchedRow(spec.matchConstraints ?? {}, request, cluster);
    if (!row) continue;
    const unknown = unknownParamKind(spec, cluster);
    if (unknown && spec.failurePolicy !== 'Ignore')
      refusal ??= denied(request, { message: `failed to configure policy: ${unknown}` }, name);
    if (unknown) continue;
    for (const { object: binding } of bound) {
      const { policyName, matchResources = {}, paramRef, validationActions = [] } = bindingSpecOf(binding);
      if (policyName !== name || !matchedRow(matchResources, request, cluster)) continue;
      for (const denial of denialsOf(policy, { ...request, row }, paramRef, cluster)) {
        const bindingName = binding.metadata.name ?? '';
        if (validationActions.includes('Deny') || denial.isMisconfigured) refusal ??= denied(request, denial, name, bindingName);
        if (validationActions.includes('Warn') && !denial.isMisconfigured)
          warnings.push(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${bindingName}': ${denial.message}`);
      }
    }
  }
  if (refusal) throw refusal;
}

/** Questions, and the policies themselves: else one could keep everybody from taking it back. */
const isExcluded = ({ answer, group: of, plural }: ResourceRow): boolean =>
  answer !== undefined || (of === group && plural.includes('admissionpolic'));

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function denied({ row, name }: AdmissionRequest, { message, reason = 'Invalid' }: Denial, policy: string, binding?: string): ApiError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const qualified = row.group ? `${row.plural}.${row.group}` : row.plural;
  const details = { name, ...(row.group && { group: row.group }), kind: row.plural, causes: [{ message: text }] };
  return new ApiError(codes[reason] ?? 422, reason, `${qualified} ${JSON.stringify(name)} is forbidden: ${text}`, details);
}

function unknownParamKind({ paramKind }: PolicySpec, { resources }: Cluster): string | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  if (paramRow(paramKind, resources)) return undefined;
  return `failed to find resource referenced by paramKind: '${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}'`;
}

const paramRow = ({ apiVersion = '', kind = '' }: NonNullable<PolicySpec['paramKind']>, { rows }: Resources): ResourceRow | undefined =>
  rows.find((row) => apiVersionOf(row) === apiVersion && row.kind === kind && !row.answer);

/** Programs are made once for each state of a policy. */
const made = new WeakMap<Version, PolicyPrograms>();

type BindingDenial = Denial & { isMisconfigured?: true };

function denialsOf(policy: Version, request: AdmissionRequest, paramRef: ParamRef | undefined, cluster: Cluster): BindingDenial[] {
  const spec = policySpecOf(policy.object);
  const params = paramsFor(spec, paramRef, request, cluster);
  if ('problem' in params)
    return spec.failurePolicy === 'Ignore' ? [] : [{ message: `failed to configure binding: ${params.problem}`, isMisconfigured: true }];
  let programs = made.get(policy);
  if (!programs) made.set(policy, (programs = programsOf(spec)));
  const seen = variablesOf(request, cluster);
  return params.found.flatMap((param) => new Run(spec, programs, seen, param).denials());
}

/** The parameters that a binding names, each of which the policy is asked with; null where it takes none. */
function paramsFor(
  { paramKind }: PolicySpec,
  ref: ParamRef | undefined,
  { namespace }: AdmissionRequest,
  { storage, resources }: Cluster,
): { found: readonly (Value | undefined)[] } | { problem: string } {
  if (!paramKind) return { found: [undefined] };
  const row = paramRow(paramKind, resources);
  if (!ref || !row) return { found: [null] };
  if (row.namespaced && ref.namespace === undefined && namespace === undefined)
    return { problem: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  if (!row.namespaced && ref.namespace !== undefined)
    return { problem: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const within = row.namespaced ? (ref.namespace ?? namespace) : undefined;
  const versions = storage
    .list(storageName(row), within)
    .filter(({ object }) => (ref.selector ? matcherOf(ref.selector)(object.metadata.labels) : object.metadata.name === ref.name));
  if (versions.length === 0 && ref.parameterNotFoundAction === 'Deny')
    return { problem: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return { found: versions.map(({ object }) => objectValue(object, row)) };
}

const objectValue = (object: ApiObject | undefined, row: ResourceRow): Value =>
  object ? untyped({ apiVersion: apiVersionOf(row), kind: row.kind, ...object }) : null;

function variablesOf(request: AdmissionRequest, { storage }: Cluster): Map<string, Value> {
  const { row, operation, namespace, name, object, oldObject, subresource, asker, isDryRun } = request;
  const isNamespace = row.group === '' && row.kind === 'Namespace';
  const around = namespace === undefined || isNamespace ? undefined : storage.get('namespaces', keyOf(undefined, namespace))?.object;
  const kind = { group: row.group, version: row.version, kind: row.kind };
  const resource = { group: row.group, version: row.version, resource: row.plural };
  const asked = {
    kind,
    resource,
    ...(subresource !== undefined && { subResource: subresource, requestSubResource: subresource }),
    requestKind: kind,
    requestResource: resource,
    name,
    ...(namespace !== undefined && { namespace }),
    operation,
    userInfo: { username: asker.name, groups: asker.groups },
    dryRun: isDryRun,
    options: { apiVersion: 'meta.k8s.io/v1', kind: optionKinds[operation], ...(isDryRun && { dryRun: ['All'] }) },
  };
  return new Map<string, Value>([
    ['object', objectValue(object, row)],
    ['oldObject', objectValue(oldObject, row)],
    ['request', requestValue(asked)],
    ['namespaceObject', around ? namespaceValue(around) : null],
  ]);
}

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' };

/** One policy on one request, with one parameter. */
class Run {
  readonly #spec: PolicySpec;
  readonly #programs: PolicyPrograms;
  readonly #seen: Variables;
  #budget = mostSteps;

  constructor(spec: PolicySpec, programs: PolicyPrograms, seen: Variables, param: Value | undefined) {
    this.#spec = spec;
    this.#programs = programs;
    const variables = new Map(seen);
    if (param !== undefined) variables.set('params', param);
    const { variables: composed } = programs;
    if (composed.length > 0) variables.set('variables', new LazyVariables((name) => this.#variable(name)));
    this.#seen = variables;
  }

  denials(): Denial[] {
    const passes = this.#spec.failurePolicy === 'Ignore';
    const failed = (message: string): Denial[] => (passes ? [] : [{ message }]);
    // Match conditions see no namespace.
    const conditions = new Map(this.#seen).set('namespaceObject', null);
    const errors: string[] = [];
    for (const condition of this.#programs.conditions) {
      const result = this.#evaluate(condition, conditions);
      if ('error' in result) errors.push(result.error);
      else if (result.value === false) return [];
    }
    if (errors.length > 0) return failed(errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
    return this.#programs.validations.flatMap((validation, index): Denial[] => {
      const result = this.#evaluate(validation, this.#seen);
      if ('error' in result) return failed(result.error);
      return result.value === true ? [] : [this.#denial(index)];
    });
  }

  #denial(index: number): Denial {
    const validation: Validation = this.#spec.validations?.[index] ?? {};
    const { message = '', expression = '', reason } = validation;
    const program = this.#programs.validations[index]?.message;
    const own = program ? this.#message(program) : '';
    return {
      message: own || message.trim() || `failed expression: ${expression.trim()}`,
      ...(reason !== undefined && { reason }),
    };
  }

  /** @returns an empty text where the expression gives nothing fit for a message */
  #message(program: PolicyProgram): string {
    const result = this.#evaluate(program, this.#seen);
    const text = 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
    return text.includes('\n') || Buffer.byteLength(text) > longestMessageBytes ? '' : text;
  }

  #variable(name: string): Value | undefined {
    const found = this.#programs.variables.find((each) => each.name === name);
    if (!found) return undefined;
    const { program } = found;
    const outcome = 'problem' in program ? undefined : program.run(this.#seen);
    if (outcome) this.#budget -= Math.min(outcome.cost, this.#budget);
    if (outcome && 'value' in outcome) return outcome.value;
    const why = outcome && 'error' in outcome ? outcome.error.message : 'it does not compile';
    throw new EvaluationError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
  }

  #evaluate({ source, program }: PolicyProgram, seen: Variables): { value: Value } | { error: string } {
    if ('problem' in program) return { error: `compilation error: ${program.problem}` };
    const outcome = program.run(seen);
    if (outcome.cost > this.#budget) return { error: 'validation failed due to running out of cost budget' };
    this.#budget -= outcome.cost;
    if ('value' in outcome) return { value: outcome.value };
    return { error: `expression '${source}' resulted in error: ${outcome.error.message}` };
  }
}
