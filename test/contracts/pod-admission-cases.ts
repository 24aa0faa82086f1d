// What a kube-apiserver answers to pods, changes of them and of their status; the real one is the judge (test/cluster/pod-admission.test.ts).
import type { PodCase } from './admission/judge.ts';
import { podCreations } from './admission/pod-creations.ts';
import { podPlacements } from './admission/pod-placements.ts';
import { podResources } from './admission/pod-resources.ts';
import { podSecurity } from './admission/pod-security.ts';
import { podStatuses, podUpdates } from './admission/pod-updates.ts';
import { podVolumes } from './admission/pod-volumes.ts';

export const podAdmissionCases: { group: string; cases: PodCase[] }[] = [
  { group: 'a new pod', cases: podCreations },
  { group: 'a new pod with wishes', cases: podPlacements },
  { group: 'a new pod with files', cases: podVolumes },
  { group: 'a new pod with needs', cases: podResources },
  { group: 'a new pod and its host', cases: podSecurity },
  { group: 'a change of a pod', cases: podUpdates },
  { group: 'a change of a status', cases: podStatuses },
];
