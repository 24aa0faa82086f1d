// How a node finds out who asks it: the cluster judges tokens and rights, and says whose client certificates its API servers show.
import type { Resource } from '../resources.ts';

export const TOKEN_REVIEWS: Resource = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

export const ACCESS_REVIEWS: Resource = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

/** The ConfigMap with the signers of those certificates. */
export const CLIENT_SIGNERS = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/** A kubelet's. A relay has one for each node, from this one on. */
export const NODE_API_PORT = 10_250;
