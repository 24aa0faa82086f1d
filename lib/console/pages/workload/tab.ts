// One of the closer looks at a workload.
import type { Named } from '../../state/address.ts';
import type { WorkloadDetail } from '../../state/answers.ts';

export interface TabProps {
  /** As in the address. */
  named: Named;
  workload: WorkloadDetail;
}
