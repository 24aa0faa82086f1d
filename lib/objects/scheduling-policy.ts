// What the spec of a Job says of gang scheduling (alpha), and what of it a Workload and a PodGroup repeat.

export interface SchedulingPolicy {
  basic?: object;
  /** So many pods start together or none does; of a Job `parallelism` where it is left out. */
  gang?: { minCount?: number };
}

/** What of a group of pods is passed on as it is. */
export interface GroupConstraints {
  schedulingConstraints?: { topology?: { key: string }[] };
  disruptionMode?: { single?: object; all?: object };
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
}

/** `spec.scheduling` of a Job. */
export interface JobScheduling extends GroupConstraints {
  schedulingPolicy?: SchedulingPolicy;
}
