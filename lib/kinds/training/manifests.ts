// Reads training jobs from documents. Their definitions are the cluster's, so what the API server checks of them is their shape alone; what
// is wrong with one is said by its planner, as on a cluster.
import { isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import { defineManifests, UNSTORED_UID, type KindManifests, type ReadOwner } from '../rows/kind-manifests.ts';
import * as v from 'valibot';
import { metadata, object, optional, problemIn } from '../rows/manifest-shapes.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { trainingFaultOf } from './owner-facts.ts';

const shape = object({ metadata, spec: object({}), status: optional(object({})) });

export const trainingManifests = (names: FrameworkNames): KindManifests =>
  defineManifests<TrainingJob>({ besides: () => [], read: (document, given) => read(names, document, given) });

function read(names: FrameworkNames, document: Fields, { namespace, now }: { namespace: string; now: Date }): ReadOwner<TrainingJob> {
  if (!v.is(shape, document)) return { problem: problemIn(shape, document) };
  const { metadata: given } = document;
  const owner = {
    ...document,
    metadata: {
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: now.toISOString().replace(/\.\d+Z$/, 'Z'),
      ...given,
      namespace,
      uid: given.uid || UNSTORED_UID,
    },
  } as unknown as TrainingJob;
  const fault = trainingFaultOf(names, owner);
  if (fault) return { problem: { ...fault, found: foundAt(owner, fault.field) } };
  return { owner };
}

/** The value at a field such as `spec.tfReplicaSpecs.Worker`, or where the way to it ends. */
function foundAt(owner: object, field: string): string | undefined {
  const found = field.split('.').reduce((value: unknown, name) => (isFields(value) ? value[name] : value), owner);
  return found === undefined ? undefined : JSON.stringify(found).slice(0, LONGEST_FOUND);
}

const LONGEST_FOUND = 80;
