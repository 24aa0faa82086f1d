// Drains a virtual node for a person, as `kubectl drain` does: it takes no new pods, and its pods are evicted, so that disruption budgets are kept. Pods of
// DaemonSets and of the node itself stay; one that no controller would make anew goes only where that is asked for.
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { KubernetesObject, OwnerReference, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import { hasEnded } from '../../objects/placement/schedulable.ts';
import { CONFIG_MIRROR } from '../../objects/pods/config-annotations.ts';
import { controllerOf } from '../../objects/pods/fact-values.ts';
import { EVICTION, PODS } from '../../objects/resources.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { ConflictError, mayPass, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { WantedAction } from '../../wire/words/action-words.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { PlannedAction } from './planned-action.ts';
import { podsText, wordOf, type Asking } from './asked-workload.ts';

type WantedDrain = Extract<WantedAction, { action: 'drain' }>;

/** From so many running pods on, a person types the name of the node. */
const NAME_FROM_PODS = 10;
const EVICTIONS_AT_ONCE = 8;
const AGAIN_SECONDS = 5;
/** Names of pods in a sentence. */
const NAMED_PODS = 5;

const POD_FIELDS = {
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    ownerReferences: true,
    annotations: { [CONFIG_MIRROR]: true },
    deletionTimestamp: true,
  },
  status: { phase: true },
} as const;

interface OnNode {
  toEvict: Pod[];
  /** Are going already. */
  going: number;
  /** Of DaemonSets and of the node itself. */
  staying: number;
  /** Part of `toEvict`, without a controller. */
  alone: Pod[];
}

/** @throws TerminalError it is no node whose pods Farloop runs; with code 409 where pods would be lost for good and that was not asked for */
export async function drainOf(asking: Asking, node: WorkloadObject, wanted: WantedDrain): Promise<PlannedAction> {
  const { facts } = asking;
  const name = node.metadata.name ?? '';
  const word = wordOf(facts, name);
  refuseOthers(facts, node, asking);
  const isCordoned = fieldsOf(node.spec)['unschedulable'] === true;
  if (wanted.undo === true) {
    const button = `Let ${name} take pods`;
    if (!isCordoned) return { text: [`${word} takes pods already.`], button, doneText: `${word} takes pods already.` };
    const patch = { spec: { unschedulable: null } };
    return { text: [`${word} takes new pods again.`], button, doneText: `${word} takes new pods again.`, writes: { by: 'patch', patch } };
  }
  const { toEvict, going, staying, alone } = podsIn(await podsOn(asking, name));
  if (alone.length > 0 && wanted.force !== true)
    throw new TerminalError(
      `${word} cannot be drained so: ${podsText(alone.length)} on it ${alone.length === 1 ? 'has' : 'have'} no controller, so nothing makes ${alone.length === 1 ? 'it' : 'them'} anew (${namesIn(alone)}): end ${alone.length === 1 ? 'it' : 'them'} first, or drain with --force ("force": true)`,
      { code: 409 },
    );
  const active = toEvict.filter((pod) => !hasEnded(pod)).length;
  const text = [
    isCordoned ? `${word} takes no new pods already.` : `${word} takes no new pods from then on.`,
    toEvict.length === 0 ? 'No pod is on it that would be evicted.' : evictedText(toEvict.length, active),
    ...(alone.length > 0
      ? [
          `${podsText(alone.length)} of these ${alone.length === 1 ? 'has' : 'have'} no controller, and nothing makes ${alone.length === 1 ? 'it' : 'them'} anew: ${namesIn(alone)}.`,
        ]
      : []),
    ...(going > 0 ? [`${podsText(going)} ${are(going)} going already.`] : []),
    ...(staying > 0 ? [`${podsText(staying)} of DaemonSets or of the node itself ${staying === 1 ? 'stays' : 'stay'}.`] : []),
  ];
  return {
    text,
    button: `Drain ${name}`,
    endingPods: active,
    ...(active >= NAME_FROM_PODS && { needsName: true }),
    doneText: `${word} takes no new pods, and those that were on it are evicted.`,
    ...((!isCordoned || toEvict.length > 0) && {
      writes: { by: 'drain', pods: toEvict, ...(!isCordoned && { cordon: { spec: { unschedulable: true } } }) },
    }),
  };
}

/** Any other Node of the cluster is somebody else's. */
function refuseOthers({ nodes, kind }: KindFacts, node: WorkloadObject, { record }: Asking): void {
  const name = node.metadata.name ?? '';
  const word = wordOf({ kind }, name);
  if (!nodes) throw new TerminalError(`${word} cannot be drained: only virtual nodes can, as in node/NAME`);
  if (!nodes.namesIn(record).includes(name) || !nodes.isOurs(node))
    throw new TerminalError(`${word} is no virtual node that Farloop serves on ${record.name}: drain it with kubectl`);
}

async function podsOn({ cluster, deadline }: Asking, node: string): Promise<Pod[]> {
  const selection = { fieldSelector: `spec.nodeName=${node}`, fields: POD_FIELDS };
  return (await cluster.list<Pod>(PODS, selection, deadline)).items;
}

function podsIn(pods: readonly Pod[]): OnNode {
  const controlling = ({ metadata }: Pod): OwnerReference | undefined => controllerOf(metadata.ownerReferences);
  const isStaying = (pod: Pod): boolean =>
    controlling(pod)?.kind === 'DaemonSet' || pod.metadata.annotations?.[CONFIG_MIRROR] !== undefined;
  const others = pods.filter((pod) => !isStaying(pod));
  const toEvict = others.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return {
    toEvict,
    going: others.length - toEvict.length,
    staying: pods.length - others.length,
    // As kubectl: one that has ended is nothing that could be made anew.
    alone: toEvict.filter((pod) => controlling(pod) === undefined && !hasEnded(pod)),
  };
}

/**
 * Each eviction names a uid, so that one that is asked for again hits no namesake.
 * @throws ThrottledError some are not evicted yet, and why; TerminalError the right is missing
 */
export async function evictAll(
  { cluster, deadline, facts }: Pick<Asking, 'cluster' | 'deadline' | 'facts'>,
  node: string,
  pods: readonly Pod[],
): Promise<void> {
  const reasons: string[] = [];
  await inParallel(pods, EVICTIONS_AT_ONCE, async ({ metadata: { name = '', namespace = '', uid = '' } }) => {
    const eviction: KubernetesObject & { deleteOptions: object } = {
      ...EVICTION,
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid } },
    };
    await cluster.create<KubernetesObject>(PODS, eviction, deadline, { subresource: 'eviction' }).catch((error: unknown) => {
      // It is gone, or another one stands in its place.
      if (error instanceof NotFoundError || error instanceof ConflictError) return;
      if (!mayPass(error)) throw error;
      reasons.push(error.message);
    });
  });
  if (reasons.length === 0) return;
  const [first = ''] = reasons.toSorted();
  throw new ThrottledError(
    `${wordOf(facts, node)} takes no new pods; ${reasons.length} of ${podsText(pods.length)} ${are(reasons.length)} not evicted yet: ${first}; ask again, which goes on with the others`,
    { retryAfterSeconds: AGAIN_SECONDS },
  );
}

function evictedText(pods: number, active: number): string {
  if (active === 0) return `${podsText(pods)} ${are(pods)} evicted, all of which ended before.`;
  return `${podsText(pods)} ${are(pods)} evicted, ${active} of them not ended; what ${pods === 1 ? 'it has' : 'they have'} not saved is lost. Disruption budgets are kept.`;
}

const are = (count: number): string => (count === 1 ? 'is' : 'are');

function namesIn(pods: readonly Pod[]): string {
  const names = pods.slice(0, NAMED_PODS).map(({ metadata: { namespace = '', name = '' } }) => `${namespace}/${name}`);
  return `${names.join(', ')}${pods.length > NAMED_PODS ? ` and ${pods.length - NAMED_PODS} more` : ''}`;
}
