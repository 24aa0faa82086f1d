// The planner row of a virtual node. Its decision takes some 200 bytes for each of its pods.
import { definePlanner } from '../rows/planner-row.ts';
import type { VirtualNode } from './facts.ts';
import { afterOwner, KEPT, plan, type Kept } from './plan.ts';

export const virtualNodeRow = definePlanner<VirtualNode, object, Kept>({ plan, afterOwner, kept: { schema: KEPT, mostBytes: 300_000 } });
