// The kinds that exist for tests alone. Import this before all else: it adds their rows to the five tables of lib/kinds, for this process.
import { DEFINITIONS } from '../../../lib/kinds/definitions.ts';
import { ALL_FACTS, KIND_FACTS } from '../../../lib/kinds/facts.ts';
import type { KindFacts } from '../../../lib/kinds/rows/kind.ts';
import type { KindDefinition } from '../../../lib/kinds/rows/kind-definition.ts';
import type { KindManifests } from '../../../lib/kinds/rows/kind-manifests.ts';
import type { KindShown } from '../../../lib/kinds/rows/kind-shown.ts';
import { MANIFESTS } from '../../../lib/kinds/manifests.ts';
import type { PlannerRow } from '../../../lib/kinds/rows/planner-row.ts';
import { PLANNERS } from '../../../lib/kinds/planners.ts';
import { SHOWN } from '../../../lib/kinds/shown.ts';
import type { ResourceRow } from '../../../lib/sandbox/rows/resource-row.ts';
import { definedRows } from '../../sandbox/defined-rows.ts';
import { beaconDefinition, beaconFacts, beaconManifests, beaconRow, beaconShown } from './beacon/beacon.ts';
import { ensembleFacts } from './ensemble/facts.ts';
import { ensembleRow } from './ensemble/plan.ts';
import { ensembleDefinition, ensembleManifests, ensembleShown } from './ensemble/shown.ts';

export interface TestKind {
  facts: KindFacts;
  planner: PlannerRow;
  shown: KindShown;
  manifests: KindManifests;
  /** Absent: each cluster has the resource by itself. */
  definition?: KindDefinition;
}

const TEST_KINDS: readonly TestKind[] = [
  { facts: beaconFacts, planner: beaconRow, shown: beaconShown, manifests: beaconManifests, definition: beaconDefinition },
  { facts: ensembleFacts, planner: ensembleRow, shown: ensembleShown, manifests: ensembleManifests, definition: ensembleDefinition },
];

/** Adds its rows to the tables, for this process. */
export function addKind({ facts, planner, shown, manifests, definition }: TestKind): void {
  Object.assign(KIND_FACTS, { [facts.kind]: facts });
  Object.assign(PLANNERS, { [facts.kind]: planner });
  Object.assign(SHOWN, { [facts.kind]: shown });
  Object.assign(MANIFESTS, { [facts.kind]: manifests });
  if (definition) Object.assign(DEFINITIONS, { [facts.kind]: definition });
  (ALL_FACTS as KindFacts[]).push(facts);
}

TEST_KINDS.forEach(addKind);

/** What a sandbox must serve for them. */
export const TEST_ROWS: readonly ResourceRow[] = TEST_KINDS.flatMap(({ facts, definition }) => (definition ? definedRows(facts.kind) : []));
