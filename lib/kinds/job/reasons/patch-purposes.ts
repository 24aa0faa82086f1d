// The purposes of a Job's patches, in words for people.
import type { PatchPurpose } from '../../rows/kind-shown.ts';

const letsGo = (target: string): string => `let the tracking finalizer be taken off ${target}`;

export const PATCH_PURPOSES: Readonly<Record<string, PatchPurpose>> = {
  strip: {
    does: 'take the tracking finalizer off',
    refusedTo: letsGo,
    keeps: 'the tracking finalizer, which comes off first, may not be taken off',
  },
  letGo: { does: 'take the tracking finalizer off the orphaned', refusedTo: letsGo },
  resize: { does: 'change the size of', refusedTo: (target) => `change the size of ${target}` },
};
