// The workload that a path names.
import { NO_NAMESPACE } from '../../objects/workload.ts';
import { RefusedRequestError } from '../routed-request.ts';

export interface NamedWorkload {
  cluster: string;
  kind: string;
  namespace: string;
  name: string;
}

export const keyOf = ({ cluster, kind, namespace, name }: NamedWorkload): NamedWorkload => ({
  cluster,
  kind,
  namespace: namespace === NO_NAMESPACE ? '' : namespace,
  name,
});

export const noWorkload = ({ cluster, kind, namespace, name }: NamedWorkload): RefusedRequestError =>
  new RefusedRequestError(404, `there is no workload ${[cluster, kind, namespace, name].join('/')}`);
