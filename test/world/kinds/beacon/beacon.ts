// A kind of the tests whose owners stand alone: they have no namespace, no pods and no other children. All that happens is in their status.
import type { WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import type { Resource } from '../../../../lib/objects/resources.ts';
import { count, flag, objectOf, wordOf, type TypeOf } from '../../../../lib/objects/values/field-shapes.ts';
import { definePlanner } from '../../../../lib/kinds/rows/planner-row.ts';
import { defineFacts } from '../../../../lib/kinds/rows/define-facts.ts';
import { AGE, defineDefinition } from '../../../../lib/kinds/rows/kind-definition.ts';
import { defineManifests } from '../../../../lib/kinds/rows/kind-manifests.ts';
import { defineShown } from '../../../../lib/kinds/rows/kind-shown.ts';
import { ownerEvent } from '../../../../lib/kinds/rows/actions.ts';
import type { NewPlan, Snapshot } from '../../../../lib/kinds/rows/plan.ts';

export const BEACONS: Resource = { apiVersion: 'example.com/v1', kind: 'Beacon', plural: 'beacons', namespaced: false };

const spec = objectOf({ isLit: flag });
const status = objectOf({ phase: wordOf('Dark', 'Lit'), changes: count });
type BeaconStatus = TypeOf<typeof status>;

export interface Beacon extends WorkloadObject {
  spec: TypeOf<typeof spec>;
  status?: BeaconStatus;
}

export const beaconFacts = defineFacts<Beacon>({ resource: BEACONS, spec, status, hasNoPods: true, isFinished: () => false });

function plan({ owner }: Snapshot<Beacon>): NewPlan<BeaconStatus> {
  if (owner.metadata.deletionTimestamp !== undefined) return { actions: [], why: ['it is being deleted'] };
  const phase = owner.spec.isLit ? 'Lit' : 'Dark';
  const { phase: before, changes = 0 } = owner.status ?? {};
  if (before === phase) return { actions: [], why: [`it is ${phase.toLowerCase()}`] };
  const next = { phase, changes: changes + 1 } as const;
  const told = ownerEvent(beaconFacts, owner, { type: 'Normal', reason: phase, message: `Beacon is ${phase.toLowerCase()}` });
  return {
    actions: [{ verb: 'status', status: next, why: `it is ${phase.toLowerCase()} now` }, told],
    status: next,
    why: ['its light changes'],
  };
}

export const beaconRow = definePlanner<Beacon, BeaconStatus>({ plan, afterOwner: () => ({ actions: [], isDone: true }) });

export const beaconShown = defineShown<Beacon>(beaconFacts, {
  figuresOf: (owner) => [{ name: 'changes', value: owner?.status?.changes ?? 0 }],
});

export const beaconManifests = defineManifests<Beacon>(beaconFacts);

export const beaconDefinition = defineDefinition(beaconFacts, {
  columns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }, AGE],
});
