// Where a workload is, for people and in addresses of the API.
import { NO_NAMESPACE } from '../../objects/workload.ts';
import type { WorkloadKey } from '../../objects/workload.ts';

type Place = Pick<WorkloadKey, 'namespace' | 'cluster'>;

/** `in default on west`; of an owner without a namespace `on west`. */
export const placeText = ({ namespace, cluster }: Place): string => (namespace === '' ? '' : `in ${namespace} `) + `on ${cluster}`;

/** Its path in the API, behind `/v1/workloads/`. */
export const pathOfKey = ({ cluster, kind, namespace, name }: Omit<WorkloadKey, 'uid'>): string =>
  [cluster, kind, namespace || NO_NAMESPACE, name].map(encodeURIComponent).join('/');
