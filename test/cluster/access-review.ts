// What an API server lets somebody do, as it says itself.
import { openNodeClient } from '../node-client.ts';

export interface AskedRight {
  verb: string;
  /** Empty: the core group. */
  group: string;
  /** With its subresource, as `pods/exec`. */
  resource: string;
  namespace: string;
}

/** Whether the API server lets whoever has that token do it. */
export async function isAllowed(
  { url, caPem }: { url: string; caPem: string },
  token: string,
  { verb, group, resource, namespace }: AskedRight,
): Promise<boolean> {
  const [plural, subresource] = resource.split('/');
  const client = openNodeClient({ url, caPem, token });
  try {
    const { status, body } = await client.request({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb, group, resource: plural, ...(subresource !== undefined && { subresource }), namespace } },
      },
    });
    // Where a token is known no more, nobody is allowed anything.
    if (status === 401) return false;
    const { allowed }: { allowed?: boolean } = (body as { status: object }).status;
    return allowed === true;
  } finally {
    client.close();
  }
}
