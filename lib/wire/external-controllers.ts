// Managers of Jobs other than Farloop, by name: only so many, for whoever makes Jobs chooses the names, and each is a metric that is paid for.

/** `spec.managedBy` of Jobs: a domain, a slash, a path. */
const CONTROLLER_NAME = /^[\x21-\x7e]{1,63}$/;
const MOST_NAMED = 20;
/** No manager's name: those have a slash. */
const OTHERS = 'other';

export const MOST_CONTROLLERS = MOST_NAMED + 1;

export const isControllerName = (name: string): boolean => CONTROLLER_NAME.test(name);

/** @param named those that are told apart so far. @returns the name to count this one under */
export function controllerAmong(named: Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>, name: string): string {
  if (named.has(name)) return name;
  return isControllerName(name) && named.size < MOST_NAMED ? name : OTHERS;
}
