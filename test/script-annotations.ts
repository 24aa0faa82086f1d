/** Annotations that say what a simulated node or provider plays. @param script by their names, without the prefix */
export const scriptAnnotations = (script: object): Record<string, string> =>
  Object.fromEntries(Object.entries(script).map(([name, value]) => [`sim.farloop.dev/${name}`, String(value)]));
