// Reads training jobs from documents. Their definitions are the cluster's, so what the API server checks of them is their shape alone; what
// is wrong with one is said by its planner, as on a cluster.
import { defineManifests, type KindManifests } from '../rows/kind-manifests.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { trainingFacts } from './facts.ts';

export const trainingManifests = (names: FrameworkNames): KindManifests => defineManifests(trainingFacts(names));
