// Who may act on workloads: nobody, unless installation and cluster were set up for it. The gateway and its token decide about people before.
import { TerminalError } from '../../ports/errors.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';

/** @throws TerminalError with code 403: which right is missing, and as its reason a short word for it */
export function refuseWithoutRights({ actions }: Pick<Ports, 'actions'>, record: ClusterRecord): void {
  if (actions !== 'on')
    throw new TerminalError(
      'nobody may act on workloads through this installation: it needs actions=on (farloop up --actions on; on AWS the parameter actions of the stage)',
      { code: 403, reason: 'actions=on' },
    );
  if (record.actions !== true)
    throw new TerminalError(
      `nobody may act on workloads of ${record.name} through Farloop: give "farloop cluster add ${record.name}" again with --actions`,
      { code: 403, reason: '--actions' },
    );
}
