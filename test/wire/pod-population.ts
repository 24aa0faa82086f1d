// Pods of every state that an API server may show, from a seed: the same ones on every machine and in every build.
import { childNameOf } from '../../lib/objects/child-names.ts';
import type { Condition, ContainerStatus, Pod } from '../../lib/objects/kubernetes.ts';
import { timeOf } from '../../lib/objects/pods/pod-facts.ts';
import type { OwnerName } from '../../lib/wire/words/observations.ts';

export const OWNER: OwnerName = { kind: 'Job', namespace: 'default', name: 'render', uid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' };

const START = 1_790_000_000;

/** Whole numbers from 0 to below `of`. */
function dice(seed: number): (of: number) => number {
  let state = seed >>> 0;
  return (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) % of;
  };
}

/** Most are alike, as the pods of a Job are; each of the others is odd in some way. */
export function podPopulation(seed: number, count: number): Pod[] {
  const roll = dice(seed);
  const isOne = (of: number): boolean => roll(of) === 0;
  const pick = <Each>(...each: Each[]): Each => each[roll(each.length)] as Each;
  const time = (): string => timeOf(START + roll(600));
  const hex = (): string => roll(65_536).toString(16).padStart(4, '0');
  const uuid = (): string => `${hex()}${hex()}-${hex()}-${hex()}-${hex()}-${hex()}${hex()}${hex()}`;

  function containerStatus(name: string, isOver: boolean): ContainerStatus {
    const waiting = { reason: pick('ImagePullBackOff', 'ContainerCreating', 'CrashLoopBackOff'), message: `of ${roll(3)}` };
    const terminated = { exitCode: pick(0, 0, 1, 137), ...(!isOne(9) && { finishedAt: time() }) };
    return { name, restartCount: isOne(4) ? roll(5) : 0, state: isOver ? { terminated } : isOne(6) ? { waiting } : {} };
  }

  function statusOf(): NonNullable<Pod['status']> {
    const phase = pick('Pending', 'Running', 'Running', 'Succeeded', 'Failed', isOne(20) ? 'Unknown' : 'Running');
    const isOver = phase === 'Succeeded' || phase === 'Failed';
    const conditions: Condition[] = [
      { type: 'PodScheduled', status: phase === 'Pending' && isOne(3) ? 'False' : 'True', message: `0/${roll(3)} nodes` },
    ];
    if (phase !== 'Pending')
      conditions.push({ type: 'Ready', status: pick('True', 'False', 'Unknown'), ...(!isOne(9) && { lastTransitionTime: time() }) });
    if (isOne(15)) conditions.push({ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'preempted' });
    return {
      phase,
      ...(isOne(25) && { reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      conditions,
      ...(phase !== 'Pending' && { containerStatuses: ['main', 'log'].slice(0, 1 + roll(2)).map((name) => containerStatus(name, isOver)) }),
      ...(isOne(5) && { initContainerStatuses: [containerStatus('proxy', isOver), containerStatus('fetch', true)] }),
    };
  }

  function podAt(at: number): Pod {
    const index = isOne(30) ? pick('007', '1000000000', 'odd', '9'.repeat(101)) : isOne(10) ? undefined : String(at);
    const number = isOne(12) ? undefined : roll(4);
    const isPlain = index !== undefined && /^(0|[1-9]\d{0,8})$/.test(index);
    const name =
      number === undefined || isOne(20) ? `other-${at}` : childNameOf(OWNER, { index: isPlain ? Number(index) : undefined, number });
    const controller = { apiVersion: 'batch/v1', kind: 'Job', name: isOne(40) ? 'else' : OWNER.name, uid: OWNER.uid, controller: true };
    const annotations: Record<string, string> = {
      ...(index !== undefined && { 'batch.kubernetes.io/job-completion-index': index }),
      ...(number !== undefined && { 'farloop.dev/number': String(number) }),
      ...(isOne(15) && { 'batch.kubernetes.io/job-index-failure-count': String(roll(3)) }),
      ...(isOne(25) && { 'batch.kubernetes.io/job-index-ignored-failure-count': 'a\nb' }),
    };
    const labels = {
      'batch.kubernetes.io/controller-uid': OWNER.uid,
      'batch.kubernetes.io/job-name': OWNER.name,
      ...(index !== undefined && !isOne(12) && { 'batch.kubernetes.io/job-completion-index': index }),
      ...(isOne(10) && { team: pick('red', 'blue') }),
    };
    return {
      metadata: {
        uid: isOne(50) ? `plain-uid-${at}` : uuid(),
        name,
        namespace: OWNER.namespace,
        resourceVersion: isOne(40) ? `90071992547409931${roll(10)}` : String(1_000_000 + at * 3 + roll(5)),
        creationTimestamp: timeOf(START + Math.floor(at / 50)),
        ...(isOne(10) && { deletionTimestamp: time(), deletionGracePeriodSeconds: pick(0, 30) }),
        labels,
        ...((index !== undefined || number !== undefined) && { annotations }),
        ...(!isOne(8) && { finalizers: ['batch.kubernetes.io/job-tracking'] }),
        ...(!isOne(20) && { ownerReferences: [controller] }),
      },
      spec: {
        containers: [],
        initContainers: [{ name: 'proxy', restartPolicy: 'Always' }, { name: 'fetch' }],
        ...(!isOne(6) && { nodeName: `node-${roll(4)}` }),
      },
      ...(!isOne(30) && { status: statusOf() }),
      ...(isOne(60) && { unreadable: 'it is longer than 1 MB' }),
    };
  }

  return Array.from({ length: count }, (_, at) => podAt(at));
}
