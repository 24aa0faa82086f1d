// Evictions: deletions of pods that ask the disruption budgets first.
import { LabelSelectorError, matcherOf } from '../../objects/label-selector.ts';
import { ApiError, badRequest, forbidden } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, numberAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { DeleteOptions } from '../http/body.ts';
import { checkPreconditions, deleteObject, deleteOptionsOf } from './deletion.ts';
import type { ApiResponse } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import { disruptionBudgets } from '../rows/disruption-budgets.ts';
import type { Version } from '../storage/version.ts';
import { subjectOf, updateObject } from './writing.ts';
import type { Cluster } from './writing.ts';

/** So many evictions may wait for the budget's controller to hear of them. */
const mostDisrupted = 2_000;
const waitSeconds = 10;

/**
 * Evicts a pod: marks it as a target of disruption and deletes it.
 * @throws ApiError 400 for another pod's eviction, 409 where a precondition fails, 429 where the budget allows none now, 500 where
 *   more than one budget holds
 */
export function evictPod(
  cluster: Cluster,
  row: ResourceRow,
  pod: Version,
  { body, isDryRun }: { body: unknown; isDryRun: boolean },
): ApiResponse {
  const { object } = pod;
  const eviction = isFields(body) ? body : {};
  if (textAt(fieldsAt(eviction, 'metadata'), 'name') !== object.metadata.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const given = fieldsAt(eviction, 'deleteOptions');
  const options = deleteOptionsOf({ ...given }, new URLSearchParams());
  const isTry = isDryRun || options.dryRun.length > 0;
  const phase = textAt(object.status, 'phase');
  const isFree = ['Succeeded', 'Failed', 'Pending'].includes(phase) || object.metadata.deletionTimestamp !== undefined;
  if (!isFree) askBudget(cluster, object, isTry);
  evict(cluster, row, pod, { options, isTry });
  const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { status: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) };
}

function evict(cluster: Cluster, row: ResourceRow, pod: Version, { options, isTry }: { options: DeleteOptions; isTry: boolean }): void {
  const { storage, surroundings } = cluster;
  const { metadata, status } = pod.object;
  checkPreconditions({ group: '', kind: 'Pod', name: metadata.name ?? '' }, pod.object, options);
  let current = pod;
  if (!isTry) {
    const conditions = listAt(status, 'conditions');
    const known = conditions.find(({ type }) => type === 'DisruptionTarget');
    const now = timeText(surroundings.now());
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: known?.['status'] === 'True' ? known['lastTransitionTime'] : now,
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    };
    const others = known ? conditions.map((each) => (each === known ? condition : each)) : [...conditions, condition];
    current = storage.put(storageName(row), pod.key, {
      ...pod.object,
      metadata: { ...metadata },
      status: { ...status, conditions: others },
    });
  }
  const { resourceVersion: _, ...rest } = options;
  deleteObject(cluster, row, current, rest, isTry);
}

/** Takes one disruption from the budget that holds for a pod. @throws ApiError where no disruption is left */
function askBudget(cluster: Cluster, pod: ApiObject, isTry: boolean): void {
  const { storage, surroundings } = cluster;
  const budgets = storage.list(storageName(disruptionBudgets), pod.metadata.namespace).filter(({ object }) => holdsFor(object, pod));
  if (budgets.length > 1) {
    throw new ApiError(500, '', 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  }
  const [version] = budgets;
  if (!version) return;
  const budget = version.object;
  const name = budget.metadata.name ?? '';
  const { status, spec } = budget;
  const [current, desired] = [numberAt(status, 'currentHealthy'), numberAt(status, 'desiredHealthy')];
  const isReady = listAt(pod.status, 'conditions').some(({ type, status: is }) => type === 'Ready' && is === 'True');
  if (!isReady && (textAt(spec, 'unhealthyPodEvictionPolicy') === 'AlwaysAllow' || (desired > 0 && current >= desired))) return;
  if (numberAt(status, 'observedGeneration') < (budget.metadata.generation ?? 0)) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, waitSeconds);
  }
  const allowed = numberAt(status, 'disruptionsAllowed');
  const disrupted = fieldsAt(status, 'disruptedPods');
  if (Object.keys(disrupted).length > mostDisrupted) {
    throw forbidden(
      { ...subjectOf(disruptionBudgets, name), kind: disruptionBudgets.singular },
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) throw refused(whyNone(budget, name, current, desired));
  if (isTry) return;
  const next = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [pod.metadata.name ?? '']: timeText(surroundings.now()) },
  };
  const given = {
    ...budget,
    status: allowed === 1 ? { ...next, conditions: conditionsAtNone(budget, timeText(surroundings.now())) } : next,
  };
  const context = { manager: 'kube-apiserver', row: disruptionBudgets, isDryRun: false, subresource: 'status' } as const;
  updateObject(cluster, version, given, { ...context, isReplacement: false });
}

function holdsFor(budget: ApiObject, pod: ApiObject): boolean {
  const selector = budget.spec?.['selector'];
  if (!isFields(selector)) return false;
  try {
    return matcherOf(selector)(pod.metadata.labels);
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

function whyNone(budget: ApiObject, name: string, current: number, desired: number): string {
  const condition = listAt(budget.status, 'conditions').find(({ type }) => type === 'DisruptionAllowed');
  const message = condition?.['status'] === 'False' ? textAt(condition, 'message') : '';
  const reason = textAt(condition, 'reason');
  const isClosed = `The disruption budget ${name} does not allow evicting pods currently`;
  if (message && reason === 'SyncFailed') return `${isClosed} because it failed sync: ${message}`;
  if (current <= desired) return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  return message ? `${isClosed} (${reason}): ${message}` : isClosed;
}

/** The budget's own condition once its last disruption is taken. */
function conditionsAtNone(budget: ApiObject, now: string): object[] {
  const conditions = listAt(budget.status, 'conditions');
  const known = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: numberAt(budget.status, 'observedGeneration'),
    lastTransitionTime: known?.['status'] === 'False' ? known['lastTransitionTime'] : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return known ? conditions.map((each) => (each === known ? condition : each)) : [...conditions, condition];
}

function refused(why: string, retryAfterSeconds = 0): ApiError {
  return new ApiError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message: why }], ...(retryAfterSeconds > 0 && { retryAfterSeconds }) },
    retryAfterSeconds > 0 ? { 'Retry-After': String(retryAfterSeconds) } : {},
  );
}
