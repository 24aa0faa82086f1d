// Digests of the parts of a workload's children other than pods, for comparison with a relay's.
import { childText, type ChildState } from '../../objects/child-state.ts';
import { digestOf } from '../../wire/words/digest.ts';
import type { ChildrenPart, PartsDigest } from '../../wire/words/observations.ts';
import { livingIn } from './view.ts';

/** The digest of the children of one resource, if all their parts are of that revision. */
export const partsDigestOf = (resource: string, revision: number, children: Iterable<ChildState>): PartsDigest => ({
  resource,
  revision,
  digest: digestOf([...children].map((child) => ({ uid: child.uid, resourceVersion: childText(child) }))),
});

/**
 * The same digests from a view, for comparison with a relay's. If a resource has a part of another revision, the two cannot be compared, so
 * it counts as equal (trap 10).
 */
export const comparableParts = (view: readonly ChildrenPart[], told: readonly PartsDigest[]): PartsDigest[] =>
  told.map((digest) => {
    const living = view.filter(({ resource }) => resource === digest.resource).flatMap((part) => [...livingIn(part)]);
    const isComparable = living.every(({ part }) => part.revision === digest.revision);
    return isComparable ? partsDigestOf(digest.resource, digest.revision, living) : digest;
  });

/** The text of a digest mismatch. A later look makes it anew from the view. */
export const digestText = (digest: string, parts: readonly PartsDigest[] | undefined): string =>
  [digest, ...(parts ?? []).map((part) => `${part.resource}=${part.revision}:${part.digest}`)].join(' ');

/** The digests of parts in the text of a digest mismatch. */
export const partsIn = (text: string): PartsDigest[] =>
  text
    .split(' ')
    .slice(1)
    .flatMap((each) => {
      const [, resource, revision, digest] = /^([^=]+)=(\d+):([0-9a-f]{16})$/.exec(each) ?? [];
      return resource === undefined || digest === undefined ? [] : [{ resource, revision: Number(revision), digest }];
    });
