// The kinds that are managed, as a cluster's record stores them: for Jobs alone with the single word of version 1.
import * as v from 'valibot';
import { MANAGES_WORD, readManages, writtenManages, type Manages, type WrittenManages } from '../../objects/manages.ts';

const word = v.pipe(v.string(), v.regex(MANAGES_WORD, 'expected a word of --manage, such as all-jobs'));

export const StoredManages = v.object({
  manage: v.picklist(['own', 'all']),
  /** Words that this build does not know stay. */
  manages: v.exactOptional(v.pipe(v.array(word), v.minLength(1, 'expected at least one word of --manage'))),
});

/** The one word stands where it always stood: before what follows it in a record. */
export function toStored<Known extends { manages: Manages }>({ manages, ...rest }: Known): Omit<Known, 'manages'> & WrittenManages {
  return { ...rest, ...writtenManages(manages) };
}

export function fromStored<Stored extends WrittenManages>({
  manage,
  manages,
  ...rest
}: Stored): Omit<Stored, keyof WrittenManages> & { manages: Manages } {
  return { ...rest, manages: readManages({ manage, manages }) };
}
