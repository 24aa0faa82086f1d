// Evidence of a reason, as the command line words it.
import type { WorkloadDetail } from '../../state/answers.ts';

type Reason = WorkloadDetail['reasons'][number];

/** The evidence of a reason that its text does not contain. */
export function evidenceText({ text, pods = [], exitCode, podReason, rule, index }: Reason): string {
  const parts = [
    index !== undefined && !text.includes(`index ${index} `) && `${/^\d+$/.test(index) ? 'index' : 'indexes'} ${index}`,
    pods.length > 0 && !text.includes(pods.join(', ')) && `pod${pods.length > 1 ? 's' : ''} ${pods.join(', ')}`,
    exitCode !== undefined && !text.includes(`exit code ${exitCode}`) && `exit code ${exitCode}`,
    podReason !== undefined && !text.includes(podReason) && podReason,
    rule !== undefined && !text.includes(`index ${rule}`) && `rule ${rule}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
