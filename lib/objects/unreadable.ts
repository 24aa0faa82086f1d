// Objects that cannot be read whole: their metadata tells whose they are, a mark tells why the rest is missing. Such an object exists, and
// is never taken for absent; nothing is decided about its workload until it can be read.
import type { WantedFields } from './field-mask.ts';

/** Characters of a mark. */
const LONGEST_MARK = 300;

/** @param why as a sentence goes on after "cannot be read:" */
export const markUnreadable = <Item extends object>(object: Item, why: string): Item & { unreadable: string } =>
  // Readers of Jobs take a spec for granted.
  ({ spec: {}, ...object, unreadable: why.slice(0, LONGEST_MARK) });

/** @param fields that were left out */
export const tooLargeText = (fields: readonly string[], limitMiB: number): string =>
  `its ${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} longer than ${limitMiB} MiB, or nested too deep`;

/** Whether nothing that is known of it tells who owns it. */
export const hidesOwners = ({ unreadable }: { unreadable?: string }): boolean => unreadable?.includes('metadata.ownerReferences') ?? false;

/** What is read of an object whose other fields cannot be read. */
export const metadataOf = (fields: WantedFields): WantedFields =>
  typeof fields === 'boolean' ? { metadata: fields } : { metadata: fields['metadata'] ?? fields['*'] ?? false };
