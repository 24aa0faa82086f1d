// Kubelets for worlds with many pods: they look at what was heard, not at a list of everything each second.
import type { Pod } from '../../lib/objects/kubernetes.ts';
import type { World } from './world.ts';

/** Each pod one step on: unbound → running → succeeded; what is to go is gone. @returns how many moved */
export async function playLarge(world: World): Promise<number> {
  const moving = [...world.podsEver.values()].filter(isUnderWay);
  for (const pod of moving) {
    if (pod.metadata.deletionTimestamp !== undefined) await world.endDeleted(pod);
    else if (pod.status?.phase === 'Running') await world.end(pod, 0);
    else if (!pod.spec.nodeName) await world.startPod(pod);
  }
  return moving.length;
}

const isUnderWay = ({ metadata, status }: Pod): boolean =>
  status?.phase === 'Pending' ||
  status?.phase === 'Running' ||
  (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length > 0);
