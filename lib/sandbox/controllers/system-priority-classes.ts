// The two classes of priority that every cluster has.
import { timeText } from '../objects/api-object.ts';
import { storageName } from '../rows/resources.ts';
import { priorityClasses, systemPriorityClasses } from '../rows/priority-classes.ts';
import { uuidFrom } from '../objects/surroundings.ts';
import { keyOf } from '../storage/version.ts';
import type { Cluster } from '../verbs/writing.ts';

/** In a state folder they keep their uids; a deleted one comes back at the next start. */
export function ensureSystemPriorityClasses({ storage, surroundings }: Cluster): void {
  const resource = storageName(priorityClasses);
  const apiVersion = `${priorityClasses.group}/${priorityClasses.version}`;
  for (const { name, value, description } of systemPriorityClasses) {
    const key = keyOf(undefined, name);
    if (storage.get(resource, key)) continue;
    const time = timeText(surroundings.now());
    const fieldsV1 = { 'f:description': {}, 'f:preemptionPolicy': {}, 'f:value': {} };
    const managedFields = [{ manager: 'kube-apiserver', operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }];
    const metadata = { name, uid: uuidFrom(surroundings.random), creationTimestamp: time, managedFields };
    storage.put(resource, key, priorityClasses.rules.create({ metadata, value, description }));
  }
}
