// The authority of the client certificates that nodes are to trust: every cluster names it in one ConfigMap of kube-system.
import { timeText } from '../objects/api-object.ts';
import { uuidFrom } from '../objects/surroundings.ts';
import { keyOf } from '../storage/version.ts';
import type { Cluster } from '../verbs/writing.ts';

const [namespace, name] = ['kube-system', 'extension-apiserver-authentication'];
const field = 'client-ca-file';

/** Other fields that somebody wrote there stay. */
export function publishClientAuthority({ storage, surroundings }: Cluster, caPem: string): void {
  const key = keyOf(namespace, name);
  const found = storage.get('configmaps', key)?.object;
  const data = found && typeof found['data'] === 'object' ? { ...found['data'] } : {};
  if (Reflect.get(data, field) === caPem) return;
  const time = timeText(surroundings.now());
  const owned = { apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {}, [`f:${field}`]: {} } } };
  const metadata = found?.metadata ?? {
    name,
    namespace,
    uid: uuidFrom(surroundings.random),
    creationTimestamp: time,
    managedFields: [{ manager: 'kube-apiserver', operation: 'Update' as const, ...owned }],
  };
  storage.put('configmaps', key, { ...found, metadata: { ...metadata }, data: { ...data, [field]: caPem } });
}
