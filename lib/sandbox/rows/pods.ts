// Pods: defaults, grace of deletion, and the columns of `kubectl get pods`.
import type { Pod } from '../../objects/kubernetes.ts';
import { withPodDefaults, withPodFieldDefaults } from '../../admission/pod/pod-defaults.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from '../../admission/pod/pod-validation.ts';
import { fieldsAt, hasCondition, isSame, listAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ageOf } from './human-duration.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

/** As the schema has checked it. */
export const asPod = (object: ApiObject): Pod => ({ ...object, spec: { containers: [], ...fieldsAt(object, 'spec') } });
const asObject = (pod: Pod): ApiObject => ({ ...pod, spec: { ...pod.spec }, status: { ...pod.status } });

const isFinished = ({ status }: ApiObject): boolean => status?.['phase'] === 'Succeeded' || status?.['phase'] === 'Failed';

function create(object: ApiObject): ApiObject {
  const pod = asPod(object);
  delete pod.status; // nobody brings a pod that already ran
  const made = asObject(withPodDefaults(pod));
  // A negative one is taken for the shortest.
  if (numberAt(made.spec, 'terminationGracePeriodSeconds') < 0) made.spec = { ...made.spec, terminationGracePeriodSeconds: 1 };
  return made;
}

/** Who ran: a kubelet may still be stopping it. Nobody did or does: no grace is needed. */
function graceSeconds(pod: ApiObject, askedSeconds: number | undefined): number {
  if (textAt(pod.spec, 'nodeName') === '' || isFinished(pod)) return 0;
  const seconds = askedSeconds ?? pod.spec?.['terminationGracePeriodSeconds'];
  return typeof seconds === 'number' ? (seconds < 0 ? 1 : seconds) : 0;
}

const stateOf = (container: Fields, state: string): Fields | undefined => {
  const found = fieldsAt(container, 'state')[state];
  return found === undefined ? undefined : fieldsAt(fieldsAt(container, 'state'), state);
};

/** Why a container does not run: its reason, else its signal or exit code. */
function endText(terminated: Fields): string {
  const reason = textAt(terminated, 'reason');
  if (reason) return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

interface Initialization {
  /** The containers that the pod waits for; undefined once none is left. */
  text: string | undefined;
  /** Statuses of the init containers up to the one that it waits for. */
  reached: Fields[];
  /** Of those, the ones that restart always: they run on beside the others. */
  sidecars: Fields[];
}

function initializationOf({ spec, status }: ApiObject): Initialization {
  const containers = listAt(spec, 'initContainers');
  const names = new Set(containers.filter(({ restartPolicy }) => restartPolicy === 'Always').map((each) => textAt(each, 'name')));
  const statuses = listAt(status, 'initContainerStatuses');
  const isSidecar = (each: Fields): boolean => names.has(textAt(each, 'name'));
  const isPassed = (each: Fields): boolean => hasSucceeded(each) || (isSidecar(each) && each['started'] === true);
  const index = statuses.findIndex((each) => !isPassed(each));
  const reached = index === -1 ? statuses : statuses.slice(0, index + 1);
  const next = statuses[index];
  return { text: next && `Init:${initText(next, `${index}/${containers.length}`)}`, reached, sidecars: reached.filter(isSidecar) };
}

const hasSucceeded = (container: Fields): boolean => {
  const terminated = stateOf(container, 'terminated');
  return terminated !== undefined && numberAt(terminated, 'exitCode') === 0;
};

function initText(container: Fields, progress: string): string {
  const terminated = stateOf(container, 'terminated');
  if (terminated) return endText(terminated);
  const waiting = textAt(stateOf(container, 'waiting'), 'reason');
  return waiting && waiting !== 'PodInitializing' ? waiting : progress;
}

/** The pod's own condition outranks the init containers. */
const isInitialized = (pod: ApiObject, { text }: Initialization): boolean => text === undefined || hasCondition(pod, 'Initialized');

function statusText(pod: ApiObject): string {
  const status = pod.status;
  const gated = listAt(status, 'conditions').some(
    (condition) => condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated',
  );
  const initialization = initializationOf(pod);
  let text = initialization.text ?? (gated ? 'SchedulingGated' : textAt(status, 'reason') || textAt(status, 'phase'));
  if (isInitialized(pod, initialization)) {
    let [isRunning, failure] = [false, ''];
    for (const container of listAt(status, 'containerStatuses').toReversed()) {
      const waiting = textAt(stateOf(container, 'waiting'), 'reason');
      const terminated = stateOf(container, 'terminated');
      if (waiting) text = waiting;
      else if (terminated) {
        text = endText(terminated);
        if (numberAt(terminated, 'exitCode') !== 0) failure = text;
      } else if (container['ready'] === true && stateOf(container, 'running')) isRunning = true;
    }
    if (text === 'Completed') {
      if (isRunning && hasCondition(pod, 'Ready')) text = 'Running';
      else if (failure) text = failure;
      else if (isRunning) text = 'NotReady';
    }
  }
  if (pod.metadata.deletionTimestamp === undefined) return text;
  if (textAt(status, 'reason') === 'NodeLost') return 'Unknown';
  return isFinished(pod) ? text : 'Terminating';
}

function readyText(pod: ApiObject): string {
  const { spec, status } = pod;
  const initialization = initializationOf(pod);
  const sidecars = initialization.sidecars.filter((each) => each['started'] === true && each['ready'] === true && !hasSucceeded(each));
  const containers = isInitialized(pod, initialization) ? listAt(status, 'containerStatuses') : [];
  const ready = containers.filter((container) => container['ready'] === true && stateOf(container, 'running'));
  const wanted = listAt(spec, 'initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  return `${sidecars.length + ready.length}/${wanted.length + listAt(spec, 'containers').length}`;
}

/** While it initializes, of its init containers; then of all that go on running. */
function restartsText(pod: ApiObject, nowMs: number): string {
  const initialization = initializationOf(pod);
  const { reached, sidecars } = initialization;
  const containers = isInitialized(pod, initialization) ? [...sidecars, ...listAt(pod.status, 'containerStatuses')] : reached;
  const count = containers.reduce((sum, container) => sum + numberAt(container, 'restartCount'), 0);
  const ends = containers
    .map((container) => textAt(fieldsAt(fieldsAt(container, 'lastState'), 'terminated'), 'finishedAt'))
    .filter(Boolean);
  const last = ends.toSorted().at(-1);
  return count > 0 && last ? `${count} (${ageOf(last, nowMs)} ago)` : String(count);
}

function gatesText(pod: ApiObject): string {
  const gates = listAt(pod.spec, 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  return gates.length === 0 ? '<none>' : `${gates.filter((gate) => hasCondition(pod, gate)).length}/${gates.length}`;
}

const selectableSpec = ['nodeName', 'restartPolicy', 'schedulerName', 'serviceAccountName'];
const selectableStatus = ['phase', 'podIP', 'nominatedNodeName'];

export const pods = row({
  plural: 'pods',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  answersDeleted: true,
  countsGenerations: true,
  graceSeconds,
  keptByStatus: ['metadata.deletionTimestamp', 'metadata.ownerReferences'],
  hasStatus: true,
  subresources: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  ],
  columns: [
    nameColumn,
    column('Ready', readyText),
    column('Status', statusText),
    column('Restarts', restartsText),
    ageColumn,
    column('IP', ({ status }) => textAt(status, 'podIP') || '<none>', wide),
    column('Node', ({ spec }) => textAt(spec, 'nodeName') || '<none>', wide),
    column('Nominated Node', ({ status }) => textAt(status, 'nominatedNodeName') || '<none>', wide),
    column('Readiness Gates', gatesText, wide),
  ],
  fieldsOf: ({ spec, status }) => ({
    ...Object.fromEntries(selectableSpec.map((name) => [`spec.${name}`, textAt(spec, name)])),
    'spec.hostNetwork': String(spec?.['hostNetwork'] === true),
    ...Object.fromEntries(selectableStatus.map((name) => [`status.${name}`, textAt(status, name)])),
    'status.podIPs': textAt(status, 'podIP'),
  }),
  rules: {
    defaults: (object, previous) =>
      previous?.spec && isSame(object.spec, previous.spec)
        ? { ...object, spec: previous.spec }
        : { ...object, spec: { ...withPodFieldDefaults(asPod(object)).spec } },
    create,
    validateMetadata: false,
    validate: (object) => validatePod(asPod(object)),
    update: (next, previous) => (isSame(next.spec, previous.spec) ? next : asObject(withPodDefaults(asPod(next)))),
    validateUpdate: (next, previous) => validatePodUpdate(asPod(next), asPod(previous)),
    validateStatus: (next, previous) => validatePodStatusUpdate(asPod(next), asPod(previous)),
    updateStatus: ({ metadata, ...next }, previous) => {
      const { ownerReferences: _, deletionTimestamp: __, ...rest } = metadata;
      const owners = previous.metadata.ownerReferences;
      return {
        ...next,
        metadata: { ...rest, ...(owners && { ownerReferences: owners }) },
        status: { ...next.status, ...(next.status?.['qosClass'] === undefined && { qosClass: previous.status?.['qosClass'] }) },
      };
    },
  },
});
