// The words of `--manage`, which say which kinds Farloop manages on a cluster, as a cluster's record and a pass's snapshot hold them. The
// kind's row (lib/kinds) maps words to the kind. A build keeps words that it does not know.

/** Distinct words; never empty. */
export type Manages = readonly string[];

/** Jobs that name Farloop as their manager. The default. */
export const JOBS_THAT_NAME_US = 'jobs';
/** Also the built-in controller's Jobs. That controller must be off. */
export const ALL_JOBS = 'all-jobs';

export const MANAGES_WORD = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The single word of the version before. It covers Jobs and nothing else. */
export type ManageOfBefore = 'own' | 'all';

/**
 * As it is written: with Jobs alone managed by the single word of version 1, which earlier builds read; else such a build manages
 * Jobs by that word.
 */
export interface WrittenManages {
  manage: ManageOfBefore;
  manages?: string[];
}

export const manageOfBefore = (manages: Manages): ManageOfBefore => (manages.includes(ALL_JOBS) ? 'all' : 'own');

export function writtenManages(manages: Manages): WrittenManages {
  const manage = manageOfBefore(manages);
  const said = readManages({ manage });
  return manages.length === 1 && manages[0] === said[0] ? { manage } : { manage, manages: [...manages] };
}

export const readManages = ({ manage, manages }: { manage: ManageOfBefore; manages?: readonly string[] | undefined }): Manages =>
  manages && manages.length > 0 ? [...new Set(manages)] : [manage === 'all' ? ALL_JOBS : JOBS_THAT_NAME_US];
