// Objects that cannot be read whole: their metadata names their owner, a mark says why the rest is missing. Such an object exists and must
// not be taken for absent. No pass decides anything about its workload until the object can be read.
import type { WantedFields } from './field-mask.ts';

/** Most characters of a mark. */
const LONGEST_MARK = 300;

/** @param why continues a sentence after "cannot be read:" */
export const markUnreadable = <Item extends object>(object: Item, why: string): Item & { unreadable: string } =>
  // Readers of Jobs rely on a spec.
  ({ spec: {}, ...object, unreadable: why.slice(0, LONGEST_MARK) });

/** @param fields the omitted fields */
export const tooLargeText = (fields: readonly string[], limitMiB: number): string =>
  `its ${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} longer than ${limitMiB} MiB, or nested too deep`;

/** Whether the owner references are among the missing fields. */
export const hidesOwners = ({ unreadable }: { unreadable?: string }): boolean => unreadable?.includes('metadata.ownerReferences') ?? false;

/** The fields to read of an object whose other fields cannot be read. */
export const metadataOf = (fields: WantedFields): WantedFields =>
  typeof fields === 'boolean' ? { metadata: fields } : { metadata: fields['metadata'] ?? fields['*'] ?? false };
