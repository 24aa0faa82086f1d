// The figures of a node's tasks in the two forms that a kubelet has: a summary as JSON, and a text for metrics servers.
import type { Pod } from '../objects/kubernetes.ts';
import type { ContainerFigures, TaskFigures } from '../ports/provider.ts';

/** A pod that runs on the node, with its figures where there are any. */
export interface Measured {
  pod: Pod;
  figures: TaskFigures | undefined;
}

const NANOS = 1e9;

/** A provider's own names of containers, or one that it tells twice, would break a text of samples. */
export function figuresOf({ spec }: Pod, figures: TaskFigures | undefined): TaskFigures | undefined {
  const names = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name);
  return figures && { ...figures, containers: names.flatMap((name) => figures.containers.find((each) => each.name === name) ?? []) };
}

const timeText = (ms: number): string => new Date(ms).toISOString();

/** Kubelet's `/stats/summary`. A figure that is not known is left out. */
export function summaryOf(node: string, measured: readonly Measured[], nowMs: number): object {
  const containersOf = ({ pod, figures }: Measured): ContainerFigures[] =>
    pod.spec.containers.map(({ name }) => figures?.containers.find((each) => each.name === name) ?? { name });
  const pods = measured.map((each) => {
    const { pod, figures } = each;
    const atMs = figures?.atMs ?? nowMs;
    const containers = containersOf(each);
    return {
      podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      ...(pod.status?.startTime !== undefined && { startTime: pod.status.startTime }),
      containers: containers.map((container) => ({
        name: container.name,
        ...(container.startedAtMs !== undefined && { startTime: timeText(container.startedAtMs) }),
        ...usageOf([container], atMs),
      })),
      ...usageOf(containers, atMs),
    };
  });
  return { node: { nodeName: node, ...usageOf(measured.flatMap(containersOf), nowMs) }, pods };
}

function usageOf(containers: readonly ContainerFigures[], atMs: number): object {
  const cores = sumOf(containers, ({ cpuCores }) => cpuCores);
  const seconds = sumOf(containers, ({ cpuSeconds }) => cpuSeconds);
  const bytes = sumOf(containers, ({ memoryBytes }) => memoryBytes);
  const time = timeText(atMs);
  return {
    ...((cores ?? seconds) !== undefined && {
      cpu: {
        time,
        ...(cores !== undefined && { usageNanoCores: Math.round(cores * NANOS) }),
        ...(seconds !== undefined && { usageCoreNanoSeconds: Math.round(seconds * NANOS) }),
      },
    }),
    ...(bytes !== undefined && { memory: { time, workingSetBytes: Math.round(bytes) } }),
  };
}

/** @returns undefined where none of them is known */
function sumOf(containers: readonly ContainerFigures[], figure: (of: ContainerFigures) => number | undefined): number | undefined {
  const known = containers.flatMap((container) => figure(container) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** Kubelet's `/metrics/resource`, in the text format of Prometheus. */
export function resourceMetricsText(measured: readonly Measured[], nowMs: number): string {
  const pods = measured.flatMap(({ pod, figures }) => (figures ? [{ pod, figures }] : []));
  const all = pods.flatMap(({ figures }) => figures.containers);
  const podLabels = ({ metadata: { namespace = '', name = '' } }: Pod): string => `namespace="${namespace}",pod="${name}"`;
  const sample = (labels: string, value: number | undefined, atMs: number): string[] =>
    value === undefined ? [] : [`${labels === '' ? '' : `{${labels}}`} ${value} ${Math.round(atMs)}`];
  const perNode = (figure: (of: ContainerFigures) => number | undefined): string[] => sample('', sumOf(all, figure), nowMs);
  const perPod = (figure: (of: ContainerFigures) => number | undefined): string[] =>
    pods.flatMap(({ pod, figures }) => sample(podLabels(pod), sumOf(figures.containers, figure), figures.atMs));
  const perContainer = (figure: (of: ContainerFigures) => number | undefined): string[] =>
    pods.flatMap(({ pod, figures }) =>
      // The pod's name comes second in every series of pods: there are readers that count.
      figures.containers.flatMap((each) => sample(`${podLabels(pod)},container="${each.name}"`, figure(each), figures.atMs)),
    );
  const cpuSeconds = (of: ContainerFigures): number | undefined => of.cpuSeconds;
  const memoryBytes = (of: ContainerFigures): number | undefined => of.memoryBytes;
  const startSeconds = (of: ContainerFigures): number | undefined => (of.startedAtMs === undefined ? undefined : of.startedAtMs / 1_000);
  const families: [string, 'counter' | 'gauge', string, string[]][] = [
    ['container_cpu_usage_seconds_total', 'counter', 'CPU time of a container, core-seconds', perContainer(cpuSeconds)],
    ['container_memory_working_set_bytes', 'gauge', 'Working set of a container, bytes', perContainer(memoryBytes)],
    ['container_start_time_seconds', 'gauge', 'Start of a container, Unix seconds', perContainer(startSeconds)],
    ['node_cpu_usage_seconds_total', 'counter', 'CPU time of all that runs on the node, core-seconds', perNode(cpuSeconds)],
    ['node_memory_working_set_bytes', 'gauge', 'Working set of all that runs on the node, bytes', perNode(memoryBytes)],
    ['pod_cpu_usage_seconds_total', 'counter', 'CPU time of a pod, core-seconds', perPod(cpuSeconds)],
    ['pod_memory_working_set_bytes', 'gauge', 'Working set of a pod, bytes', perPod(memoryBytes)],
    ['resource_scrape_error', 'gauge', '1 if there was an error while figures were read, else 0', [' 0']],
  ];
  const text = families.flatMap(([name, type, help, samples]) =>
    samples.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((each) => `${name}${each}`)],
  );
  return `${text.join('\n')}\n`;
}
