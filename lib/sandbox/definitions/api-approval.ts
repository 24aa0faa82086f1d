// The groups of Kubernetes itself: a definition in one of them says who approved it, or that nobody did.
export const approvalAnnotation = 'api-approved.kubernetes.io';

/** `k8s.io`, `kubernetes.io` and what is below them. */
export const isProtectedGroup = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

export interface Approval {
  state: 'missing' | 'approved' | 'unapproved' | 'invalid';
  /** In the API server's words. */
  reason: string;
}

const see = 'see https://github.com/kubernetes/enhancements/pull/1111';

export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const said = annotations?.[approvalAnnotation] ?? '';
  const required = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (said === '') return { state: 'missing', reason: `${required}, ${see}` };
  if (said.startsWith('unapproved')) return { state: 'unapproved', reason: `not approved: ${JSON.stringify(said)}` };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(said) && URL.canParse(said)) return { state: 'approved', reason: `approved in ${said}` };
  return { state: 'invalid', reason: `${required} with either a URL or a reason starting with "unapproved", ${see}` };
}
