// Gang scheduling (alpha) in the spec of a Job, and the part of it that a Workload and a PodGroup repeat.

export interface SchedulingPolicy {
  basic?: object;
  /** So many pods start together or none does; of a Job `parallelism` where it is left out. */
  gang?: { minCount?: number };
}

/** Fields of a group of pods that are passed on as they are. */
export interface GroupConstraints {
  schedulingConstraints?: { topology?: { key: string }[] };
  disruptionMode?: { single?: object; all?: object };
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
}

/** `spec.scheduling` of a Job. */
export interface JobScheduling extends GroupConstraints {
  schedulingPolicy?: SchedulingPolicy;
}
