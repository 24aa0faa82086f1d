// One of the closer looks at a workload.
import type { Named } from '../../state/address.ts';
import type { WorkloadDetail } from '../../state/answers.ts';

/** A virtual pod has no pods, but is one. */
export const hasLogs = ({ hasPods, kind }: WorkloadDetail): boolean => hasPods || kind === 'VirtualPod';

export interface TabProps {
  /** As in the address. */
  named: Named;
  workload: WorkloadDetail;
}
