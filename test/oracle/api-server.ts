// What players of stories ask an API server, and what its watches tell them.
import type { JsonClient } from '../../lib/adapters/kubernetes/json-client.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';

export interface WatchEvent {
  type: string;
  object: KubernetesObject;
}

/** An Event, as far as it is compared. */
export interface Told extends KubernetesObject {
  involvedObject: { kind: string; name: string };
  type?: string;
  reason?: string;
  message?: string;
  source?: { component?: string };
  reportingComponent?: string;
}

/** @param alsoFine statuses of an answer that are no failure. @throws Error with the call and its answer */
export async function called<Answered>(
  client: JsonClient,
  {
    method,
    path,
    body,
    contentType = 'application/json',
  }: { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object | undefined; contentType?: string | undefined },
  alsoFine: readonly number[] = [],
): Promise<Answered> {
  const answer = await client.request({ method, path, ...(body && { body, contentType }) });
  if (answer.status >= 300 && !alsoFine.includes(answer.status))
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as Answered;
}
