// The row of an orphan pod: it has no status, and counts nothing of its own.
import { ofStaleRead } from '../job/counting/metrics.ts';
import { definePlanner } from '../rows/planner-row.ts';
import { orphanPodPlanner } from './orphan-pod.ts';

export const orphanPodRow = definePlanner({ ...orphanPodPlanner, metrics: { ofStaleRead } });
