// What checks compare with is what has happened.
import { expect, test } from '@jest/globals';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { SIMULATED_KINDS } from './kinds/table.ts';
import { aJob, apply } from './kinds/job/acts.ts';
import { NAMESPACE, SimApiServer } from './api-server.ts';
import { History } from './history.ts';
import { Scheduler } from './scheduler.ts';

const MERGE = 'application/merge-patch+json';

test.each([
  ['that the selector still matches is not released', undefined, false],
  ['whose labels somebody has changed is released, also where it goes with its finalizer', 'another', true],
])('R1: a pod %s', async (_, label, released) => {
  const history = new History(SIMULATED_KINDS.filter(({ facts }) => !facts.ownersOn));
  const api: SimApiServer = new SimApiServer('west', new Scheduler(1), (changes) => {
    for (const change of changes) history.note('west', change, undefined, 0);
  });
  await apply(aJob('a'))(api);
  const [job] = history.owners.map((record): Job => record.object as Job);
  const { uid } = job?.metadata ?? {};
  const labels = job?.spec.selector?.matchLabels ?? {};
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'a-1',
      namespace: NAMESPACE,
      labels,
      finalizers: [TRACKING_FINALIZER],
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'a', uid, controller: true }],
    },
    spec: { containers: [{ name: 'main', image: 'example.com/none' }] },
  };
  await api.as('POST', PODS, { body });
  if (label !== undefined) {
    const relabelled = Object.fromEntries(Object.keys(labels).map((key) => [key, label]));
    await api.as('PATCH', PODS, { name: 'a-1', body: { metadata: { labels: relabelled } }, type: MERGE });
  }
  await api.as('DELETE', PODS, { name: 'a-1', body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 } });
  await api.as('PATCH', PODS, { name: 'a-1', body: { metadata: { finalizers: null } }, type: MERGE });
  expect(history.pods).toMatchObject([{ name: 'a-1', isGone: true, released }]);
});
