// What a process hears of the simulated world.
import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { aJob, apply } from './kinds/job/acts.ts';
import { SimApiServer } from './api-server.ts';
import { DirectCluster } from './cluster-port.ts';
import { Process, undisturbed } from './process.ts';
import { Scheduler } from './scheduler.ts';

test.each([1, 2, 3, 4])('a watch tells what happened in the order in which it did, however late it is (seed %i)', async (seed) => {
  const scheduler = new Scheduler(seed);
  const server = new SimApiServer('west', scheduler, () => {});
  let isFirst = true;
  const relay = new Process('relay', 1, {
    ...undisturbed(scheduler, () => scheduler.random() * 20),
    watched: () => {
      const delayMs = isFirst ? 30_000 : 0;
      isFirst = false;
      return { delayMs };
    },
  });
  const heard: string[] = [];
  const selection = { resourceVersion: server.storage.revision('jobs.batch').toString(), timeoutSeconds: 300, fields: {} };
  const follow = async (): Promise<void> => {
    const source = relay.source('west', new DirectCluster(server));
    for await (const event of source.watch<KubernetesObject>(JOBS, selection, AbortSignal.timeout(60_000)))
      if ('object' in event) heard.push(event.object.metadata.name ?? '');
  };
  void follow();
  const names = Array.from({ length: 100 }, (_, at) => `job-${at}`);
  for (const [at, name] of names.entries()) scheduler.after(100 + at * 200 + scheduler.random() / 3, () => void apply(aJob(name))(server));
  while (scheduler.elapsedMs < 35_000 && (await scheduler.step(40_000)));
  relay.kill();
  expect(heard).toEqual(names);
});
