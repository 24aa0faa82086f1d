// Which workloads this build may touch. Records of a later build about an unknown kind are left to functions that know the kind
// (docs/decisions/0008-versions.md).
import { findFacts } from '../../kinds/facts.ts';
import { parseKey, type WorkloadKey } from '../../objects/workload.ts';
import { UndecodableMessageError, UnknownKindError } from '../../wire/words/undecodable.ts';

export const isKnownKind = ({ kind }: Pick<WorkloadKey, 'kind'>): boolean => findFacts(kind) !== undefined;

/** @param text a key. A text that is not a key has no kind, so the result is false */
export function isOfUnknownKind(text: string): boolean {
  const key = parseKey(text);
  return key !== undefined && !isKnownKind(key);
}

/** The key that a message names. @throws UnknownKindError; UndecodableMessageError if the text is not a key */
export function readKey(text: string): WorkloadKey {
  const key = parseKey(text);
  if (!key) throw new UndecodableMessageError(`"${text}" is not the key of a workload`);
  const facts = findFacts(key.kind);
  if (!facts) throw new UnknownKindError('a workload', key.kind);
  if (facts.resource.namespaced !== (key.namespace !== ''))
    throw new UndecodableMessageError(
      `"${text}" is not the key of a workload: a ${key.kind} has ${facts.resource.namespaced ? 'a' : 'no'} namespace`,
    );
  return key;
}
