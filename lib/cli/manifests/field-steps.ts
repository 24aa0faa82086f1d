// The path of a field, such as `spec.containers[0].image`, as steps.

/** Names of fields and places in lists. Of `spec.replicaSpecs[Worker]` the last step is `Worker`. */
export const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d{1,6}$/.test(step) ? Number(step) : step));
