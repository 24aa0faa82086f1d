// The kinds that exist for tests alone. Import this before all else: it adds their rows to the four tables of lib/kinds, for this process.
import { ALL_FACTS, KIND_FACTS } from '../../../lib/kinds/facts.ts';
import type { KindFacts } from '../../../lib/kinds/rows/kind.ts';
import type { KindManifests } from '../../../lib/kinds/rows/kind-manifests.ts';
import type { KindShown } from '../../../lib/kinds/rows/kind-shown.ts';
import { MANIFESTS } from '../../../lib/kinds/manifests.ts';
import type { PlannerRow } from '../../../lib/kinds/rows/planner-row.ts';
import { PLANNERS } from '../../../lib/kinds/planners.ts';
import { SHOWN } from '../../../lib/kinds/shown.ts';
import type { ResourceRow } from '../../../lib/sandbox/rows/resource-row.ts';
import { ensembleFacts } from './ensemble/facts.ts';
import { ensembleRow } from './ensemble/plan.ts';
import { ensembles } from './ensemble/sandbox-row.ts';
import { ensembleManifests, ensembleShown } from './ensemble/shown.ts';

interface TestKind {
  facts: KindFacts;
  planner: PlannerRow;
  shown: KindShown;
  manifests: KindManifests;
  sandbox: ResourceRow;
}

const TEST_KINDS: readonly TestKind[] = [
  { facts: ensembleFacts, planner: ensembleRow, shown: ensembleShown, manifests: ensembleManifests, sandbox: ensembles() },
];

/** What a sandbox must serve for them. */
export const TEST_ROWS: readonly ResourceRow[] = TEST_KINDS.map(({ sandbox }) => sandbox);

for (const { facts, planner, shown, manifests } of TEST_KINDS) {
  Object.assign(KIND_FACTS, { [facts.kind]: facts });
  Object.assign(PLANNERS, { [facts.kind]: planner });
  Object.assign(SHOWN, { [facts.kind]: shown });
  Object.assign(MANIFESTS, { [facts.kind]: manifests });
  (ALL_FACTS as KindFacts[]).push(facts);
}
