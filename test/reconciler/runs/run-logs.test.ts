// The last lines of a run's containers: read before a task is deleted, and again once it has ended.
import { expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { newRun } from '../../../lib/kinds/run-once/new-run.ts';
import type { RunPod, RunState } from '../../../lib/kinds/run-once/run.ts';
import { NotFoundError } from '../../../lib/ports/errors.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import { keepLogs } from '../../../lib/reconciler/runs/run-logs.ts';
import { readLogs } from '../../../lib/reconciler/runs/run-parts.ts';
import { aNode, aPod, START_MS } from '../../kinds/run-once/run-world.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';

const status: NonNullable<RunPod['status']> = { phase: 'Running', containers: [{ name: 'bar', state: 'running' }] };

function runWith(stop: RunPod['stop']): RunState {
  const run = newRun({ id: 'one', provider: 'simulated', node: aNode(), pods: [aPod('a')], options: { logs: 5 } }, new Date(START_MS));
  return { ...run, pods: run.pods.map((pod) => ({ ...pod, isSeen: true, status, ...(stop && { stop }) })) };
}

/** @param texts of each reading in turn; undefined: no log is there */
function providerOf(texts: (string | undefined)[]): Provider {
  async function* logs(): AsyncGenerator<Uint8Array> {
    const text = texts.shift();
    if (text === undefined) throw new NotFoundError('no such log');
    yield Buffer.from(text);
  }
  return { logs } as Partial<Provider> as Provider;
}

async function kept(texts: (string | undefined)[]): Promise<unknown> {
  const runs = EmbeddedRuns.open();
  const ports = { runs, provider: providerOf(texts), clock: new VirtualClock({ seed: 1 }) };
  try {
    // Before its stop, once more for a stop that is repeated, and after its end.
    await keepLogs(runWith(undefined), [0], ports);
    await keepLogs(runWith({ atMs: START_MS }), [0], ports);
    await keepLogs(runWith({ atMs: START_MS, isOver: true }), [0], ports);
    return await readLogs(runs, 'one', 0);
  } finally {
    runs.close();
  }
}

test('what a deleted task writes while it ends is kept', async () =>
  expect(await kept(['working\n', 'working\nsaved my work\n'])).toEqual({ bar: 'working\nsaved my work\n' }));

test('a provider that drops the logs of deleted tasks takes nothing of what was kept', async () => {
  expect(await kept(['working\n', undefined])).toEqual({ bar: 'working\n' });
  expect(await kept(['working\n', ''])).toEqual({ bar: 'working\n' });
});
