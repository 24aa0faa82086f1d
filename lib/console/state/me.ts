// Who has signed in, and what they may do.
import type { Answer } from '../../api/routes/route-table.ts';
import { useAnswer, type Loaded } from './resource.ts';

export type Me = Answer<'GET /v1/me'>;
export type ActionName = Me['kinds'][number]['actions'][number];
type Rights = Pick<Me['clusters'][number], 'needs' | 'text'>;

export const useMe = (): Loaded<Me> => useAnswer<Me>('v1/me');

/** As people call themselves: of `arn:aws:iam::123456789012:user/ops` the end. */
export const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** @returns which right is missing for acting on workloads of any of these clusters; undefined where that may be possible */
export function missingFor(me: Me | undefined, clusters: readonly string[]): Rights | undefined {
  if (!me) return undefined;
  const rights = me.clusters.filter(({ cluster }) => clusters.includes(cluster));
  if (rights.length === 0 || rights.some(({ mayAct }) => mayAct)) return undefined;
  return rights[0];
}

const HAS_ENDED = new Set(['Succeeded', 'Failed']);

/** Whether that can be asked of a workload that stands so; what the API says of it is decisive. */
const FITS: Readonly<Record<ActionName, (state: string) => boolean>> = {
  suspend: (state) => !HAS_ENDED.has(state) && state !== 'Suspended' && state !== 'Terminating',
  resume: (state) => state === 'Suspended',
  scale: (state) => !HAS_ENDED.has(state) && state !== 'Terminating',
  retry: (state) => HAS_ENDED.has(state),
  drain: (state) => state !== 'Terminating',
  delete: (state) => state !== 'Terminating',
};
const IN_ORDER = ['resume', 'suspend', 'retry', 'scale', 'drain', 'delete'] as const;

/** The actions that fit any of them, in the order of their buttons. */
export function actionsFor(me: Me | undefined, workloads: readonly { kind: string; state: string }[]): ActionName[] {
  const ofKind = new Map((me?.kinds ?? []).map(({ kind, actions }) => [kind, actions]));
  return IN_ORDER.filter((action) =>
    workloads.some(({ kind, state }) => FITS[action](state) && (ofKind.get(kind) ?? (me ? [] : IN_ORDER)).includes(action)),
  );
}
