// The training operator itself, beside an API server: 1.9 with its admission webhook, and for MXJob, which 1.9 has not, 1.7.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import type { JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { until } from '../../claims.ts';
import { freePorts } from '../../cluster/control-plane.ts';
import { endedTogether, type TetheredProcess } from '../../cluster/tethered-process.ts';
import type { Gang } from './story.ts';

const NAMESPACE = 'kubeflow';
const SECRET = 'training-operator-webhook-cert';
const SERVICE = 'training-operator';
const WEBHOOKS = 'validator.training-operator.kubeflow.org';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const SCHEDULERS: Record<Gang, string> = { volcano: 'volcano', 'scheduler-plugins': 'scheduler-plugins-scheduler' };

export interface OperatorOptions {
  /** Where build.sh has put it. */
  built: string;
  client: JsonClient;
  kubeconfigPath: string;
  /** For logs and certificates. */
  folder: string;
  gang?: Gang | undefined;
}

export interface Operator {
  end: () => Promise<void>;
  /** The same, and its webhooks go: what it leaves to another controller. */
  leave: () => Promise<void>;
}

/** @throws Error when it does not get ready */
export async function startOperator({ built, client, kubeconfigPath, folder, gang }: OperatorOptions): Promise<Operator> {
  const [metrics, health, webhook] = await freePorts(3);
  const [oldMetrics, oldHealth, oldMonitoring] = await freePorts(3);
  const certificates = join(folder, 'certificates');
  await mkdir(certificates, { recursive: true });
  await put(client, `/api/v1/namespaces`, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace' });
  const inNamespace = `/api/v1/namespaces/${NAMESPACE}`;
  await put(client, `${inNamespace}/secrets`, SECRET, { apiVersion: 'v1', kind: 'Secret' });
  // No pod network: the API server finds the webhook by a name that is this machine's.
  const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port: webhook }] };
  await put(client, `${inNamespace}/services`, SERVICE, { apiVersion: 'v1', kind: 'Service', spec });
  await put(client, CONFIGURATIONS, WEBHOOKS, webhooksIn(built, webhook));
  const environment = [`KUBECONFIG=${kubeconfigPath}`, `MY_POD_NAMESPACE=${NAMESPACE}`, `CERT_DIR=${certificates}`];
  const started: TetheredProcess[] = [];
  const start = async (binary: string, ...args: string[]): Promise<void> => {
    started.push(await endedTogether('env', join(folder, `${binary}.log`), [...environment, join(built, binary), ...args]));
  };
  const end = async (): Promise<void> => {
    await Promise.all(started.map((one) => one.kill()));
  };
  try {
    await start(
      'operator',
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--webhook-server-port=${webhook}`,
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
      '--controller-threads=4',
      // One name for the image: that of 1.8 and 1.9, as the specification has it.
      '--mpi-kubectl-delivery-image=kubeflow/kubectl-delivery:latest',
      ...(gang ? [`--gang-scheduler-name=${SCHEDULERS[gang]}`] : []),
    );
    if (!gang)
      await start(
        'operator-mx',
        '--enable-scheme=mxjob',
        `--metrics-bind-address=127.0.0.1:${oldMetrics}`,
        `--health-probe-bind-address=127.0.0.1:${oldHealth}`,
        `--monitoring-port=${oldMonitoring}`,
        '--controller-threads=4',
      );
    // In a cluster the kubelet puts the secret there.
    await until('the certificates of the webhook', async () => await writeCertificates(client, certificates), 60_000);
    const isReady = async (port: number | undefined): Promise<boolean> =>
      await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('the operator', async () => (await isReady(health)) && (gang !== undefined || (await isReady(oldHealth))), 90_000);
  } catch (error) {
    const words = await Promise.all(started.map(async (one) => await one.lastWords()));
    await end();
    throw new Error(`${(error as Error).message}\n${words.join('\n')}`, { cause: error });
  }
  const leave = async (): Promise<void> => {
    await end();
    await client.request({ method: 'DELETE', path: `${CONFIGURATIONS}/${WEBHOOKS}` });
  };
  return { end, leave };
}

/** Of the operator's seven kinds, as they come with it, and of pod groups: of these any object is one. */
export function operatorDefinitions(built: string): object[] {
  const own = globSync(join(built, 'crds', '*.yaml')).map((file) => load(readFileSync(file, 'utf8')) as object);
  return [...own, ...podGroupDefinitions()];
}

export const podGroupDefinitions = (): object[] =>
  [
    { group: 'scheduling.volcano.sh', version: 'v1beta1' },
    { group: 'scheduling.x-k8s.io', version: 'v1alpha1' },
  ].map(({ group, version }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `podgroups.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'PodGroup', listKind: 'PodGroupList', plural: 'podgroups', singular: 'podgroup' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }));

interface WebhookConfiguration {
  apiVersion: string;
  kind: string;
  webhooks: { clientConfig: { service: Record<string, unknown> } }[];
}

function webhooksIn(built: string, port: number | undefined): object {
  const [configuration] = loadAll(readFileSync(join(built, 'webhook.yaml'), 'utf8')) as WebhookConfiguration[];
  if (!configuration) throw new Error(`${built}/webhook.yaml holds no webhook configuration`);
  const { apiVersion, kind, webhooks } = configuration;
  const service = { name: SERVICE, namespace: NAMESPACE, port };
  return {
    apiVersion,
    kind,
    webhooks: webhooks.map((hook) => ({ ...hook, clientConfig: { service: { ...hook.clientConfig.service, ...service } } })),
  };
}

async function put(client: JsonClient, path: string, name: string, object: object): Promise<void> {
  const { status, body } = await client.request({ method: 'POST', path, body: { ...object, metadata: { name } } });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(body)}`);
}

/** @returns whether the operator has made them */
async function writeCertificates(client: JsonClient, folder: string): Promise<boolean> {
  const { body } = await client.request({ method: 'GET', path: `/api/v1/namespaces/${NAMESPACE}/secrets/${SECRET}` });
  const { data = {} } = body as { data?: Record<string, string> };
  if (data['tls.crt'] === undefined) return false;
  for (const [name, text] of Object.entries(data)) {
    await writeFile(join(folder, `.${name}`), Buffer.from(text, 'base64'));
    await rename(join(folder, `.${name}`), join(folder, name));
  }
  return true;
}
