// What a view holds against what a relay tells of the same workload (R2): both count the same pods as its own.
import { expect, test } from '@jest/globals';
import { factsFor } from '../../../lib/kinds/facts.ts';
import { viewDigestOf } from '../../../lib/reconciler/cluster/digest-mismatch.ts';
import { digestOf } from '../../../lib/wire/words/digest.ts';
import { aJob, aPod } from '../../kinds/job/builders.ts';

test('section 7: a pod that a selector chooses by its index label, and that nobody controls, is of the workload', () => {
  const key = 'batch.kubernetes.io/job-completion-index';
  const job = aJob({ manualSelector: true, selector: { matchExpressions: [{ key, operator: 'Exists' }] } });
  const { controller: _, ...pod } = aPod({ labels: {}, index: '0' });
  const owner = { uid: job.metadata.uid ?? '', resourceVersion: job.metadata.resourceVersion ?? '' };
  const part = {
    era: 0,
    resource: 'pods',
    floor: '0',
    owner: { heardAt: '1', byPass: false, deleted: false, object: job },
    children: new Map([[pod.uid, { heardAt: '1', byPass: false, presence: 'there' as const, child: pod }]]),
  };
  expect(viewDigestOf(factsFor('Job'), part)).toBe(digestOf([{ uid: pod.uid, resourceVersion: pod.resourceVersion }, owner]));
});
