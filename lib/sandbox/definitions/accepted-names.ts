// Which of the names that a definition asks for it gets: those that nobody else in its group has.
import { fieldsAt, hasCondition, isSame } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Condition } from './conditions.ts';
import { namesIn } from './definition.ts';
import type { DefinedNames } from './definition.ts';

/** Names in use in a group, without those of the definition that asks. */
export interface TakenNames {
  /** Plural, singular and short names. */
  resources: ReadonlySet<string>;
  /** Kinds and kinds of lists. */
  kinds: ReadonlySet<string>;
}

export interface Naming {
  /** As `status.acceptedNames` holds them. */
  acceptedNames: Fields;
  conditions: Condition[];
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

/** Conditions of a definition's names. @param object as it is stored */
export function namingOf(object: ApiObject, taken: TakenNames): Naming {
  const wanted = fieldsAt(object.spec, 'names');
  const before = fieldsAt(object.status, 'acceptedNames');
  const accepted: Fields = { plural: '', kind: '', ...before };
  let problem: { reason: string; message: string } | undefined;
  const ask = (field: string, used: ReadonlySet<string>, reason: string): void => {
    const name = wanted[field];
    if (typeof name !== 'string' || name === accepted[field]) return;
    if (used.has(name)) problem = { reason, message: inUse(name) };
    else accepted[field] = name;
  };
  ask('plural', taken.resources, 'PluralConflict');
  ask('singular', taken.resources, 'SingularConflict');
  const [names, known] = [namesIn(wanted), namesIn(before)];
  if (!isSame(names.shortNames, known.shortNames)) {
    const conflict = names.shortNames.find((name) => !known.shortNames.includes(name) && taken.resources.has(name));
    if (conflict === undefined) setList(accepted, 'shortNames', names.shortNames);
    else problem = { reason: 'ShortNamesConflict', message: inUse(conflict) };
  }
  ask('kind', taken.kinds, 'KindConflict');
  ask('listKind', taken.kinds, 'ListKindConflict');
  setList(accepted, 'categories', names.categories);
  return { acceptedNames: accepted, conditions: conditionsOf(object, problem) };
}

function setList(names: Fields, field: string, values: readonly string[]): void {
  if (values.length > 0) names[field] = values;
  else delete names[field];
}

/** A definition that is established stays so, whatever becomes of its names. */
function conditionsOf(object: ApiObject, problem: { reason: string; message: string } | undefined): Condition[] {
  const named: Condition = problem
    ? { type: 'NamesAccepted', status: 'False', ...problem }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const isEstablished = !problem || hasCondition(object, 'Established');
  return [
    named,
    isEstablished
      ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
      : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ];
}

/** All names that some definitions or other resources of a group have. */
export function takenBy(names: Iterable<Pick<DefinedNames, 'plural' | 'singular' | 'shortNames' | 'kind' | 'listKind'>>): TakenNames {
  const [resources, kinds] = [new Set<string>(), new Set<string>()];
  for (const { plural, singular, shortNames, kind, listKind } of names) {
    for (const name of [plural, singular, ...shortNames]) if (name !== '') resources.add(name);
    for (const name of [kind, listKind]) if (name !== '') kinds.add(name);
  }
  return { resources, kinds };
}
