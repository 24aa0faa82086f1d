// Which workloads this build may touch. What a later build wrote about a kind that is not known here is left to functions that know it
// (docs/decisions/0008-versions.md).
import { findFacts } from '../kinds/facts.ts';
import { parseKey, type WorkloadKey } from '../objects/workload.ts';
import { UndecodableMessageError, UnknownKindError } from '../wire/undecodable.ts';

export const isKnownKind = ({ kind }: Pick<WorkloadKey, 'kind'>): boolean => findFacts(kind) !== undefined;

/** @param text of a key. What is no key is of no kind at all */
export function isOfUnknownKind(text: string): boolean {
  const key = parseKey(text);
  return key !== undefined && !isKnownKind(key);
}

/** The key that a message names. @throws UnknownKindError; UndecodableMessageError where it is none */
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
