// Facts of pods that one kind asks for: its pods have them in messages, and pods of other kinds in the same cluster do not.
import { afterEach, expect, test } from '@jest/globals';
import { managedKinds } from '../../lib/kinds/settings.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { podFieldsOfKinds, podReaderOf } from '../../lib/kinds/rows/pod-reader.ts';
import { watchesOf } from '../../lib/kinds/rows/watches.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { POD_FIELDS, podFactsOf, type PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { anEnsemble, aPodOf, ensembleFacts } from './ensemble.ts';
import { endRelays, start } from './relay-bench.ts';
import { aJob, aPod } from './scripted-source.ts';
import { podsIn } from '../wire/told-children.ts';

afterEach(endRelays);

/** Kinds that ask for nothing. */
const JOBS_ALONE = managedKinds(['all-jobs']);

const asking: KindFacts = { ...ensembleFacts, pods: { ...ensembleFacts.pods, asks: ['node', 'containerWords'] } };

function withWords(pod: Pod): Pod {
  const terminated = { exitCode: 137, reason: 'OOMKilled', message: 'out of memory' };
  return {
    ...pod,
    spec: { ...pod.spec, nodeName: 'node-1' },
    status: { ...pod.status, reason: 'Evicted', containerStatuses: [{ name: 'main', state: { terminated } }] },
  };
}

async function told(kinds: readonly KindFacts[]): Promise<Record<string, PodFacts>> {
  const bench = start({
    kinds,
    manages: ['all-jobs', 'ensembles'],
    before: (api) => {
      api.put('jobs', aJob('a'));
      api.put('ensembles', anEnsemble('e'));
      api.put('pods', withWords(aPod('a-1', 'a')));
      api.put('pods', withWords(aPodOf('e-0', 'e')));
    },
  });
  await bench.ready();
  const pods = (await bench.messages()).flatMap(({ reports }) => reports.flatMap(podsIn));
  return Object.fromEntries(pods.map(({ child: pod }) => [pod.name, pod]));
}

test('the relay sends them of the pods of that kind alone, and only those that it asks for', async () => {
  const [without, pods] = [await told([...JOBS_ALONE, ensembleFacts]), await told([...JOBS_ALONE, asking])];
  expect(pods['e-0']).toEqual({
    ...without['e-0'],
    node: 'node-1',
    containerWords: [{ container: 'main', state: 'terminated', reason: 'OOMKilled', message: 'out of memory' }],
  });
  expect(pods['a-1']).toEqual(without['a-1']);
  expect(without['a-1']).toBeDefined();
});

test('the watch that kinds share has the fields of all of them, and where nobody asks those of ever', () => {
  const ofPods = (kinds: readonly KindFacts[]): unknown => watchesOf(kinds).find(({ isPods }) => isPods)?.fields;
  expect(ofPods(JOBS_ALONE)).toBe(POD_FIELDS);
  expect(podFieldsOfKinds(JOBS_ALONE)).toBe(POD_FIELDS);
  const both = podFieldsOfKinds([...JOBS_ALONE, asking]);
  expect(ofPods([...JOBS_ALONE, asking])).toEqual(both);
  expect(ofPods([asking, ...JOBS_ALONE])).toEqual(both);
  expect(both).toMatchObject({ status: { containerStatuses: { state: { terminated: { message: {} } } } } });
  expect(podReaderOf(asking).reading.fields).toEqual(both);
  for (const facts of JOBS_ALONE) expect(podReaderOf(facts).factsOf).toBe(podFactsOf);
});
