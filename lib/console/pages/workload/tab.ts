// One of the closer looks at a workload.
import type { Named } from '../../state/address.ts';
import type { WorkloadDetail } from '../../state/answers.ts';

/** It has pods, or is one. */
export const hasLogs = ({ hasPods, objectKind }: WorkloadDetail): boolean => hasPods || objectKind === 'Pod';

export interface TabProps {
  /** As in the address. */
  named: Named;
  workload: WorkloadDetail;
}
