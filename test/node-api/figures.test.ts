// The figures of a node in both forms.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { resourceMetricsText, summaryOf } from '../../lib/node-api/figures-text.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import type { TaskFigures } from '../../lib/ports/provider.ts';
import { NodeUnderTest, runningPod } from './node-under-test.ts';

const NOW_MS = Date.parse('2026-05-01T10:00:00Z');
const pod: Pod = {
  metadata: { namespace: 'default', name: 'a', uid: 'uid-a' },
  spec: { nodeName: 'edge', containers: [{ name: 'one' }, { name: 'two' }] },
  status: { startTime: '2026-05-01T09:00:00Z' },
};
const figures: TaskFigures = {
  uid: 'uid-a',
  atMs: NOW_MS - 1_000,
  containers: [
    { name: 'one', startedAtMs: NOW_MS - 60_000, cpuSeconds: 1.5, cpuCores: 0.25, memoryBytes: 1_048_576 },
    { name: 'two', cpuSeconds: 2 },
  ],
};

test('the text: per container, node and pod, the name of the pod as second label', () => {
  expect(resourceMetricsText([{ pod, figures }], NOW_MS))
    .toBe(`# HELP container_cpu_usage_seconds_total CPU time of a container, core-seconds
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{namespace="default",pod="a",container="one"} 1.5 1777629599000
container_cpu_usage_seconds_total{namespace="default",pod="a",container="two"} 2 1777629599000
# HELP container_memory_working_set_bytes Working set of a container, bytes
# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{namespace="default",pod="a",container="one"} 1048576 1777629599000
# HELP container_start_time_seconds Start of a container, Unix seconds
# TYPE container_start_time_seconds gauge
container_start_time_seconds{namespace="default",pod="a",container="one"} 1777629540 1777629599000
# HELP node_cpu_usage_seconds_total CPU time of all that runs on the node, core-seconds
# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total 3.5 1777629600000
# HELP node_memory_working_set_bytes Working set of all that runs on the node, bytes
# TYPE node_memory_working_set_bytes gauge
node_memory_working_set_bytes 1048576 1777629600000
# HELP pod_cpu_usage_seconds_total CPU time of a pod, core-seconds
# TYPE pod_cpu_usage_seconds_total counter
pod_cpu_usage_seconds_total{namespace="default",pod="a"} 3.5 1777629599000
# HELP pod_memory_working_set_bytes Working set of a pod, bytes
# TYPE pod_memory_working_set_bytes gauge
pod_memory_working_set_bytes{namespace="default",pod="a"} 1048576 1777629599000
# HELP resource_scrape_error 1 if there was an error while figures were read, else 0
# TYPE resource_scrape_error gauge
resource_scrape_error 0
`);
});

test('without figures the text has no series but the one that says that it was read', () => {
  expect(resourceMetricsText([{ pod, figures: undefined }], NOW_MS).match(/^[^#].*$/gm)).toEqual(['resource_scrape_error 0']);
});

test('the summary: a figure that is not known is left out, and every container has an entry', () => {
  const time = '2026-05-01T09:59:59.000Z';
  expect(summaryOf('edge', [{ pod, figures }], NOW_MS)).toEqual({
    node: {
      nodeName: 'edge',
      cpu: { time: '2026-05-01T10:00:00.000Z', usageNanoCores: 250_000_000, usageCoreNanoSeconds: 3_500_000_000 },
      memory: { time: '2026-05-01T10:00:00.000Z', workingSetBytes: 1_048_576 },
    },
    pods: [
      {
        podRef: { name: 'a', namespace: 'default', uid: 'uid-a' },
        startTime: '2026-05-01T09:00:00Z',
        containers: [
          {
            name: 'one',
            startTime: '2026-05-01T09:59:00.000Z',
            cpu: { time, usageNanoCores: 250_000_000, usageCoreNanoSeconds: 1_500_000_000 },
            memory: { time, workingSetBytes: 1_048_576 },
          },
          { name: 'two', cpu: { time, usageCoreNanoSeconds: 2_000_000_000 } },
        ],
        cpu: { time, usageNanoCores: 250_000_000, usageCoreNanoSeconds: 3_500_000_000 },
        memory: { time, workingSetBytes: 1_048_576 },
      },
    ],
  });
  expect(summaryOf('edge', [{ pod, figures: undefined }], NOW_MS)).toEqual({
    node: { nodeName: 'edge' },
    pods: [expect.objectContaining({ containers: [{ name: 'one' }, { name: 'two' }] })],
  });
});

let under: NodeUnderTest;
let readings = 0;
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
});
afterAll(async () => await under.stop());
beforeEach(async () => {
  under.pods.splice(0, Infinity, runningPod('a'), runningPod('leaving'));
  under.pods[1]!.metadata.deletionTimestamp = '2026-05-01T10:00:00Z';
  readings = 0;
  under.tasks = {
    ...under.tasks,
    figures: async () => {
      readings += 1;
      return ['uid-a', 'uid-leaving', 'uid-of-nobody'].map((uid) => ({
        uid,
        atMs: NOW_MS + readings * 10_000,
        containers: ['main', 'main', 'none"}\nforged{x="y'].map((name) => ({ name, cpuSeconds: readings })),
      }));
    },
  };
  await under.start();
});

test("a provider's own names, and what it says twice or of nobody's pods, come into no form", async () => {
  const { headers, text } = await under.ask('/metrics/resource');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text.match(/^[^#].*$/gm)?.map((line) => line.split(' ')[0])).toEqual([
    'container_cpu_usage_seconds_total{namespace="default",pod="a",container="main"}',
    'node_cpu_usage_seconds_total',
    'pod_cpu_usage_seconds_total{namespace="default",pod="a"}',
    'resource_scrape_error',
  ]);
});

test('a summary after another one tells the cores in use', async () => {
  const coresIn = async (): Promise<unknown> =>
    (JSON.parse((await under.ask('/stats/summary/')).text) as { pods: { cpu: { usageNanoCores?: number } }[] }).pods[0]?.cpu.usageNanoCores;
  expect(await coresIn()).toBeUndefined();
  expect(await coresIn()).toBe(100_000_000);
});
