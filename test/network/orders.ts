// Jobs as they are asked for in storms, with what each of them must come to, and the judgement over it.
import type { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { ConflictError, NotDoneError, NotFoundError, ThrottledError, UnknownOutcomeError } from '../../lib/ports/errors.ts';

export const NAMESPACE = 'default';

export interface Order {
  job: Job;
  expected: { condition: 'Complete' | 'Failed'; succeeded: number; failed: number; pods: number; completedIndexes?: string };
}

interface OrderOptions {
  completions: number;
  parallelism: number;
  mode: 'Indexed' | 'NonIndexed';
  backoffLimit?: number;
  runSeconds: number;
  /** See lib/simulated-node/program.ts. */
  exitCodes?: string;
}

/** A Job of which nothing fails, unless `exitCodes` and `expected` say so. */
export function orderOf(name: string, options: OrderOptions, expected: Partial<Order['expected']> = {}): Order {
  const { completions, parallelism, mode, backoffLimit = 0, runSeconds, exitCodes } = options;
  const annotations = {
    'sim.farloop.dev/run-seconds': String(runSeconds),
    ...(exitCodes !== undefined && { 'sim.farloop.dev/exit-codes': exitCodes }),
  };
  const containers = [{ name: 'main', image: 'example.com/none', command: ['true'] }];
  return {
    job: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        completions,
        parallelism,
        completionMode: mode,
        backoffLimit,
        template: { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } },
      },
    },
    expected: {
      condition: 'Complete',
      succeeded: completions,
      failed: 0,
      pods: completions,
      ...(mode === 'Indexed' && { completedIndexes: completions === 1 ? '0' : `0-${completions - 1}` }),
      ...expected,
    },
  };
}

export const nameOf = ({ job }: Order): string => job.metadata.name ?? '';

/** A customer on a connection of his own, who takes it calmly when the API server is away. */
export class Customer {
  readonly #cluster: KubernetesCluster;
  readonly #clock: Clock;

  constructor(cluster: KubernetesCluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  async create({ job }: Order): Promise<void> {
    await this.#calmly(async () => {
      try {
        await this.#cluster.create(JOBS, job, this.#deadline());
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    });
  }

  async jobs(): Promise<Map<string, Job>> {
    const { items } = await this.#calmly(async () => await this.#cluster.list<Job>(JOBS, { namespace: NAMESPACE }, this.#deadline()));
    return new Map(items.map((job) => [job.metadata.name ?? '', job]));
  }

  /** Of one Job, or all of them. */
  async pods(name?: string): Promise<Pod[]> {
    const selection = { namespace: NAMESPACE, ...(name !== undefined && { labelSelector: `job-name=${name}` }) };
    return (await this.#calmly(async () => await this.#cluster.list<Pod>(PODS, selection, this.#deadline()))).items;
  }

  /** The Job and its pods: nobody collects garbage here. */
  async remove(job: Job): Promise<void> {
    const name = job.metadata.name ?? '';
    const remove = async (resource: typeof JOBS, { metadata }: Job | Pod): Promise<void> => {
      const target = { namespace: NAMESPACE, name: metadata.name ?? '', uid: metadata.uid ?? '', propagationPolicy: 'Background' as const };
      await this.#calmly(async () => {
        try {
          await this.#cluster.delete(resource, target, this.#deadline());
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
        }
      });
    };
    await remove(JOBS, job);
    for (const pod of await this.pods(name)) await remove(PODS, pod);
  }

  /** A Job and a pod of it; undefined while there is none. */
  async any(): Promise<{ job: Job; pod: Pod } | undefined> {
    const [pod] = await this.pods();
    const job = (await this.jobs()).get(pod?.metadata.labels?.['job-name'] ?? '');
    return pod && job && { job, pod };
  }

  /** Changes both, in what nobody cares for. @returns their new versions, by resource */
  async touch({ job, pod }: { job: Job; pod: Pod }): Promise<Map<string, string>> {
    const change = async (resource: typeof JOBS, { metadata }: Job | Pod): Promise<[string, string]> => {
      const target = { namespace: NAMESPACE, name: metadata.name ?? '', uid: metadata.uid ?? '' };
      const body = { metadata: { annotations: { 'example.com/touched': this.#clock.randomId() } } };
      const patch = { type: 'merge' as const, body };
      const { object } = await this.#calmly(async () => await this.#cluster.patch<Job | Pod>(resource, target, patch, this.#deadline()));
      return [resource.plural, object.metadata.resourceVersion ?? '0'];
    };
    return new Map([await change(JOBS, job), await change(PODS, pod)]);
  }

  #deadline(): ReturnType<typeof deadlineIn> {
    return deadlineIn(this.#clock, 10_000);
  }

  async #calmly<Result>(call: () => Promise<Result>): Promise<Result> {
    const untilMs = this.#clock.monotonicMs() + 60_000;
    for (;;)
      try {
        return await call();
      } catch (error) {
        const mayPass = [NotDoneError, UnknownOutcomeError, ThrottledError].some((kind) => error instanceof kind);
        if (!mayPass || this.#clock.monotonicMs() > untilMs) throw error;
        await this.#clock.wait(200);
      }
  }
}

export const isFinished = (job: Job | undefined): boolean => job !== undefined && isJobFinished(job);

export const hasFinalizer = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;

/** @returns what is not as it must be, in words; empty when all is well */
export function faultsOf(
  { job: { metadata }, expected }: Order,
  seen: { job: Job | undefined; pods: readonly Pod[]; created: number },
): string[] {
  const { job, pods, created } = seen;
  const status = job?.status ?? {};
  const indexes = pods
    .filter((pod) => pod.status?.phase === 'Succeeded')
    .flatMap((pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? []);
  const ended = status.conditions?.filter(({ status: holds }) => holds === 'True').map(({ type }) => type) ?? [];
  const faults = [
    ...(job === undefined ? ['it is lost'] : []),
    ...(ended.includes(expected.condition) ? [] : [`it is not ${expected.condition}: ${JSON.stringify(status)}`]),
    ...differs('succeeded', status.succeeded ?? 0, expected.succeeded),
    ...differs('failed', status.failed ?? 0, expected.failed),
    ...differs('completedIndexes', status.completedIndexes, expected.completedIndexes),
    ...differs('pods', pods.length, expected.pods),
    ...differs('pods ever created', created, expected.pods),
    ...(new Set(indexes).size === indexes.length ? [] : ['an index succeeded twice']),
    ...(pods.some(hasFinalizer) ? ['a pod keeps its finalizer'] : []),
  ];
  return faults.map((fault) => `Job ${metadata.name}: ${fault}`);
}

const differs = (what: string, is: unknown, expected: unknown): string[] =>
  is === expected ? [] : [`${what} is ${String(is)}, expected ${String(expected)}`];
