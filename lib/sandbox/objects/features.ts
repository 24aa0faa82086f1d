// Alpha features of the API server, off unless switched on. As on a real server they hold for the whole process, and from its start:
// the tables of resources are read once, so that a switch comes before them.

const FEATURES = ['WorkloadWithJob'] as const;
export type Feature = (typeof FEATURES)[number];

export const isFeature = (name: string): name is Feature => FEATURES.some((known) => known === name);

const switchedOn = new Set<Feature>();

/** Before anything else of the sandbox is imported. */
export const switchOn = (feature: Feature): void => void switchedOn.add(feature);

export const isOn = (feature: Feature): boolean => switchedOn.has(feature);
