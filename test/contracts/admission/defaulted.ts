// Objects without what differs from server to server and from time to time, and the answers of a real API server to those of
// defaulted-objects.ts, as recorded.
import { readFileSync } from 'node:fs';
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';

const passing = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'lastTransitionTime']);
const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The object as JSON, uids replaced; `null` only where a server writes it too. */
export function lasting(object: Job | Pod): unknown {
  const text = JSON.stringify(object, (key, value: unknown) => (passing.has(key) ? undefined : value));
  return JSON.parse(text.replaceAll(uidPattern, '<uid>'));
}

/** Job or pod by its name, as a kube-apiserver 1.36.3 answered its creation. */
export function recordedAnswers(): { jobs: Record<string, unknown>; pods: Record<string, unknown> } {
  const answers: { jobs: Record<string, unknown>; pods: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL('defaulted-answers.json', import.meta.url), 'utf8'),
  );
  return answers;
}
