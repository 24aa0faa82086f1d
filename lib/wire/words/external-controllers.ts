// Managers of Jobs other than Farloop, by name. Their number is bounded: users choose the names, and AWS bills each as a metric of its own.

/** `spec.managedBy` of Jobs: a domain, a slash, a path. */
const CONTROLLER_NAME = /^[\x21-\x7e]{1,63}$/;
const MOST_NAMED = 20;
/** Cannot be a manager's name, because those have a slash. */
const OTHERS = 'other';

export const MOST_CONTROLLERS = MOST_NAMED + 1;

export const isControllerName = (name: string): boolean => CONTROLLER_NAME.test(name);

/** @param named the names counted so far. @returns the name to count this manager under */
export function controllerAmong(named: Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>, name: string): string {
  if (named.has(name)) return name;
  return isControllerName(name) && named.size < MOST_NAMED ? name : OTHERS;
}
