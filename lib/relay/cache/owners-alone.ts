// The children of a kind without pods: none, whatever is listed. A whole list of its owners counts as a whole list of them, so that the view of
// such a workload has a floor, too: that of the owners' own list.
import { POD_RESOURCE } from '../../wire/packing/codecs.ts';
import type { CachedChildren, News } from './cached-children.ts';

const NONE: readonly never[] = [];

export class OwnersAlone implements CachedChildren {
  readonly kind: string;
  readonly resource = POD_RESOURCE;
  readonly isCounted = true;
  readonly isSelected = false;
  readonly bytesEach = 0;

  constructor(kind: string) {
    this.kind = kind;
  }

  put = (): News[] => [];
  delete = (): News[] => [];
  endList = (): void => {};
  forgetOf = (): void => {};
  isOf = (kind: string): boolean => kind === this.kind;
  has = (): boolean => false;
  keysOf = (): typeof NONE => NONE;
  holds = (): boolean => false;
  observe = (): undefined => undefined;
  isWhole = (): boolean => true;
  membersOf = (): typeof NONE => NONE;
  knows = (): boolean => true;
  until = (): typeof NONE => NONE;
}
