// For clusters in tests of passes: no pass reads a log.
import type { Cluster } from '../../lib/ports/cluster.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';

export const noLog: Cluster['log'] = async () => {
  throw new NotDoneError('a pass has read a log');
};
