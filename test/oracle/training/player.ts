// Plays stories on one API server, on which some controller runs training jobs, and writes down what came of them.
import type { JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { pathOf, type Resource } from '../../../lib/objects/resources.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { comesAbout, until } from '../../claims.ts';
import { called, type Told, type WatchEvent } from '../api-server.ts';
import { createdFrom, snapshotOf, type Outcome, type Snapshot } from './outcome.ts';
import type { Acts, PodReport, Story, TrainingJob } from './story.ts';

const JOB = 'j';
const NODE = 'node-1';
/** Between a pod's deletion and its end: what runs takes a moment to stop. */
const STOPPING_MS = 700;
/** However busy a namespace is, the next step comes. */
const SETTLED_WITHIN_MS = 25_000;
const STEP_WITHIN_MS = 60_000;
const POD_WITHIN_MS = 8_000;
const ENDED = new Set(['Succeeded', 'Failed']);

const resource = (apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});
const EVENT = resource('v1', 'Event');
const WATCHED: readonly Resource[] = [
  ...FRAMEWORKS.map(({ kind, plural }) => resource('kubeflow.org/v1', kind, plural)),
  resource('v1', 'Pod'),
  resource('v1', 'Service'),
  resource('v1', 'ConfigMap'),
  resource('v1', 'ServiceAccount'),
  resource('rbac.authorization.k8s.io/v1', 'Role'),
  resource('rbac.authorization.k8s.io/v1', 'RoleBinding'),
  resource('autoscaling/v2', 'HorizontalPodAutoscaler'),
  resource('scheduling.volcano.sh/v1beta1', 'PodGroup'),
  resource('scheduling.x-k8s.io/v1alpha1', 'PodGroup'),
  EVENT,
];
/** What every namespace has, where a controller manager puts it there. */
const EVERYWHERE = new Set(['ServiceAccount/default', 'ConfigMap/kube-root-ca.crt']);

/** What is known of one namespace. */
class Namespace {
  readonly objects = new Map<string, KubernetesObject>();
  readonly created = new Map<string, unknown>();
  readonly counts = new Map<string, { created: number; deleted: number }>();
  readonly told = new Set<string>();
  job: TrainingJob | undefined;
  changedAtMs = performance.now();

  meet(event: WatchEvent, jobKinds: ReadonlySet<string>): void {
    const { type, object } = event;
    const kind = object.kind ?? '';
    const name = `${kind}/${object.metadata.name}`;
    if (EVERYWHERE.has(name)) return;
    if (kind === 'Event') {
      // One that only counts on is no news: refused creations are told for ever.
      if (type === 'ADDED') this.changedAtMs = performance.now();
      this.told.add(lineOf(object as Told));
      return;
    }
    this.changedAtMs = performance.now();
    if (jobKinds.has(kind)) {
      this.job = type === 'DELETED' ? undefined : (object as TrainingJob);
      return;
    }
    const counts = this.counts.get(name) ?? { created: 0, deleted: 0 };
    this.counts.set(name, counts);
    if (type === 'DELETED') {
      counts.deleted += 1;
      this.objects.delete(name);
      return;
    }
    if (type === 'ADDED') {
      counts.created += 1;
      if (!this.created.has(name)) this.created.set(name, createdFrom(object));
    }
    this.objects.set(name, object);
  }
}

const lineOf = ({ involvedObject, type, reason, message, source, reportingComponent }: Told): string =>
  `${involvedObject.kind}/${involvedObject.name} ${type} ${reason}: ${message} (${source?.component || reportingComponent})`;

export interface PlayerOptions {
  client: JsonClient;
  /** A namespace in which nothing happened for so long is settled. */
  quietMs: number;
  /** Called before each step; the story waits for it. */
  before?: (step: number) => Promise<void>;
}

export class Player {
  readonly #namespaces = new Map<string, Namespace>();
  readonly #ending = new AbortController();
  readonly #jobKinds: ReadonlySet<string> = new Set(FRAMEWORKS.map(({ kind }) => kind));
  readonly #held = new Set<string>();
  readonly #stopping = new Set<string>();
  readonly #options: PlayerOptions;
  #failure: unknown;

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  /** Ready when everything is watched. @throws Error when one of the resources is not served */
  async open(): Promise<void> {
    for (const watched of WATCHED) {
      const path = pathOf(watched);
      const { metadata } = await this.#call<{ metadata: { resourceVersion: string } }>('GET', path);
      void this.#watch(path, metadata.resourceVersion).catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.#failure = error;
      });
    }
  }

  close(): void {
    this.#ending.abort();
  }

  async play({ name, before = [], job, steps, held = [] }: Story): Promise<Outcome> {
    const namespace = new Namespace();
    this.#namespaces.set(name, namespace);
    for (const pod of held) this.#held.add(`${name}/${JOB}-${pod}`);
    await this.#call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const acts = this.#acts(name, namespace);
    for (const object of before) await acts.create(object);
    await acts.create({ ...job, metadata: { ...job.metadata, name: JOB } });
    const after: Snapshot[] = [];
    const seen = async (step: string): Promise<void> => {
      await this.#settled(namespace);
      after.push(snapshotOf(step, namespace));
    };
    await seen('created');
    for (const [at, step] of steps.entries()) {
      await this.#options.before?.(at);
      namespace.changedAtMs = performance.now();
      await step.act(acts).catch((error: unknown) => {
        throw new Error(`${name}, after "${after.at(-1)?.step}": ${step.says}: ${(error as Error).message}`, { cause: error });
      });
      await seen(step.says);
    }
    if (this.#failure !== undefined) throw this.#failure;
    const inOrder = <Value>(values: ReadonlyMap<string, Value>): [string, Value][] =>
      [...values].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      after,
      created: Object.fromEntries(inOrder(namespace.created)),
      made: Object.fromEntries(inOrder(namespace.counts).map(([of, { created, deleted }]) => [of, `${created} times, ${deleted} deleted`])),
      told: [...namespace.told].toSorted(),
    };
  }

  #acts(name: string, namespace: Namespace): Acts {
    const pathTo = (kind: string, of: string, subresource?: string): string => {
      const object = namespace.objects.get(`${kind}/${of}`) ?? (kind === namespace.job?.kind ? namespace.job : undefined);
      const known = WATCHED.find((one) => one.kind === kind && (object === undefined || one.apiVersion === object.apiVersion));
      if (!known) throw new Error(`no ${kind} is watched`);
      return pathOf(known, { namespace: name, name: of, subresource });
    };
    const waitFor: Acts['waitFor'] = async (what, holds) =>
      await until(
        what,
        () => holds(namespace),
        STEP_WITHIN_MS,
        async () => JSON.stringify(snapshotOf('', namespace)),
      );
    return {
      waitFor,
      report: async (pod, report) => {
        const of = `${JOB}-${pod}`;
        const canBe = (): boolean => {
          const seen = namespace.objects.get(`Pod/${of}`) as Pod | undefined;
          if (seen?.spec.nodeName === undefined || seen.metadata.deletionTimestamp !== undefined) return false;
          return !ENDED.has(seen.status?.phase ?? '') || ENDED.has(report.phase);
        };
        // A pod that one side makes anew the other may have given up.
        if (!(await comesAbout(canBe, POD_WITHIN_MS))) return;
        const status = statusOf(namespace.objects.get(`Pod/${of}`) as Pod, report);
        await this.#call('PATCH', pathTo('Pod', of, 'status'), { status }, 'application/merge-patch+json');
      },
      remove: async (kind, of) => {
        await waitFor(`${kind} ${of}`, ({ objects, job }) => objects.has(`${kind}/${of}`) || job?.kind === kind);
        await this.#call('DELETE', pathTo(kind, of), { propagationPolicy: 'Background' });
      },
      change: async (patch, { kind, name: of, subresource } = { kind: namespace.job?.kind ?? '', name: JOB }) => {
        await waitFor(`${kind} ${of}`, ({ objects, job }) => objects.has(`${kind}/${of}`) || job?.kind === kind);
        await this.#call('PATCH', pathTo(kind, of, subresource), patch, 'application/merge-patch+json');
      },
      create: async (object) => {
        const known = WATCHED.find(({ kind, apiVersion }) => kind === object.kind && apiVersion === object.apiVersion);
        if (!known) throw new Error(`no ${object.kind} is watched`);
        await this.#call('POST', pathOf(known, { namespace: name }), { ...object, metadata: { ...object.metadata, namespace: name } });
      },
      letGo: (pod) => {
        this.#held.delete(`${name}/${JOB}-${pod}`);
        const terminating = namespace.objects.get(`Pod/${JOB}-${pod}`);
        if (terminating) this.#serve(terminating as Pod);
      },
    };
  }

  async #settled(namespace: Namespace): Promise<void> {
    const isQuiet = (): boolean =>
      performance.now() - namespace.changedAtMs > this.#options.quietMs &&
      ![...namespace.objects.values()].some((object) => object.kind === 'Pod' && this.#stopping.has(object.metadata.uid ?? ''));
    await comesAbout(isQuiet, SETTLED_WITHIN_MS);
  }

  /** What a kubelet and a scheduler do by themselves. */
  #serve(pod: Pod): void {
    const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata;
    const path = pathOf(resource('v1', 'Pod'), { namespace, name });
    const failed = (error: unknown): void => {
      if (!this.#ending.signal.aborted) this.#failure ??= error;
    };
    if (deletionTimestamp !== undefined) {
      if (this.#held.has(`${namespace}/${name}`) || this.#stopping.has(uid)) return;
      this.#stopping.add(uid);
      setTimeout(() => {
        this.#call('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid } }, undefined, [404, 409])
          .catch(failed)
          .finally(() => this.#stopping.delete(uid));
      }, STOPPING_MS);
      return;
    }
    if (pod.spec.nodeName !== undefined) return;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: NODE },
    };
    this.#call('POST', `${path}/binding`, body, undefined, [404, 409]).catch(failed);
  }

  async #watch(path: string, resourceVersion: string): Promise<void> {
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
    for await (const line of this.#options.client.watch({ path: path + query, signal: this.#ending.signal })) {
      const event = line as WatchEvent;
      const namespace = this.#namespaces.get(event.object.metadata?.namespace ?? '');
      if (event.type === 'BOOKMARK' || !namespace) continue;
      namespace.meet(event, this.#jobKinds);
      if (event.object.kind === 'Pod' && event.type !== 'DELETED') this.#serve(event.object as Pod);
    }
    if (!this.#ending.signal.aborted) throw new Error(`the watch of ${path} has ended`);
  }

  async #call<Answered>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    contentType?: string,
    alsoFine?: readonly number[],
  ): Promise<Answered> {
    return await called<Answered>(this.#options.client, { method, path, body, contentType }, alsoFine);
  }
}

function statusOf({ spec }: Pod, { phase, reason, exitCode, restartCount = 0, waiting }: PodReport): object {
  const at = '2026-01-01T00:00:00Z';
  const state = waiting
    ? { waiting }
    : exitCode === undefined
      ? { running: { startedAt: at } }
      : { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: at, finishedAt: at } };
  const isLost = phase === 'Failed' && exitCode === undefined;
  return {
    phase,
    startTime: at,
    ...(reason !== undefined && { reason }),
    containerStatuses: isLost
      ? []
      : spec.containers.map(({ name, image = '' }) => ({
          name,
          image,
          imageID: '',
          ready: phase === 'Running',
          restartCount,
          state,
        })),
  };
}
