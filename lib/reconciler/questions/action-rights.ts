// Who may act on workloads: nobody, unless installation and cluster were set up for it. The gateway and its token decide about people before.
import { TerminalError } from '../../ports/errors.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';

export interface MissingRight {
  /** A short word for it. */
  needs: string;
  /** One sentence, with how to give it. */
  text: string;
}

/** Of the installation, for all clusters. */
export const missingHere = ({ actions }: Pick<Ports, 'actions'>): MissingRight | undefined =>
  actions === 'on'
    ? undefined
    : {
        needs: 'actions=on',
        text: 'nobody may act on workloads through this installation: it needs actions=on (farloop up --actions on; on AWS the parameter actions of the stage)',
      };

/** @returns undefined where people may act on workloads of that cluster */
export const missingRight = (ports: Pick<Ports, 'actions'>, { name, actions }: ClusterRecord): MissingRight | undefined =>
  missingHere(ports) ??
  (actions === true
    ? undefined
    : {
        needs: '--actions',
        text: `nobody may act on workloads of ${name} through Farloop: give "farloop cluster add ${name}" again with --actions`,
      });

/** @throws TerminalError with code 403: which right is missing, and as its reason a short word for it */
export function refuseWithoutRights(ports: Pick<Ports, 'actions'>, record: ClusterRecord): void {
  const missing = missingRight(ports, record);
  if (missing) throw new TerminalError(missing.text, { code: 403, reason: missing.needs });
}
