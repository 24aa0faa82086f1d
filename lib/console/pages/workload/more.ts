// Closer looks that come when somebody first takes one: the first page of a workload does without.
export { ChildrenTab } from './children.tsx';
export { CostTab } from './costs.tsx';
export { EventsTab } from './events.tsx';
export { ManifestTab } from './manifest.tsx';
export { MapTab } from './map/map.tsx';
export { NodePodsTab } from './node-pods.tsx';
export { PlanTab } from './plan.tsx';
