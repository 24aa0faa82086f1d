// Evictions: deletions of pods that ask the disruption budgets first.
import { LabelSelectorError, matcherOf } from '../../objects/label-selector.ts';
import { ApiError, badRequest } from '../objects/api-error.ts';
import { fieldsAt, isFields, listAt, numberAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { DeleteOptions } from '../http/body.ts';
import { checkPreconditions, deleteObject, deleteOptionsOf } from './deletion.ts';
import type { ApiResponse } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import { disruptionBudgets } from '../rows/disruption-budgets.ts';
import type { Version } from '../storage/version.ts';
import { updateObject } from './writing.ts';
import type { Cluster } from './writing.ts';

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
  if (allowed === 0) {
    throw refused(
      current <= desired
        ? `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`,
    );
  }
  if (isTry) return;
  const disruptedPods = { ...fieldsAt(status, 'disruptedPods'), [pod.metadata.name ?? '']: timeText(surroundings.now()) };
  const given = { ...budget, status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods } };
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

function refused(why: string, retryAfterSeconds = 0): ApiError {
  return new ApiError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message: why }], ...(retryAfterSeconds > 0 && { retryAfterSeconds }) },
    retryAfterSeconds > 0 ? { 'Retry-After': String(retryAfterSeconds) } : {},
  );
}
