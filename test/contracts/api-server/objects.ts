// Small whole objects for the contract of an API server; a test states only what matters to it.
import type { ApiClient, Body } from './client.ts';

export type Fields = Record<string, unknown>;

/** What the tests of one suite share: the server they talk to. */
export interface Suite {
  api: () => ApiClient;
}

let made = 0;

/** A name nobody else has. */
export function freshName(prefix = 'x'): string {
  made += 1;
  return `${prefix}-${process.pid}-${made}`;
}

/** A namespace of the test's own. */
export async function freshNamespace(api: ApiClient): Promise<string> {
  const name = freshName('contract');
  await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

export function core(namespace: string, resource: string, name?: string): string {
  return `/api/v1/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}`;
}

export function jobs(namespace: string, name?: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs${name === undefined ? '' : `/${name}`}`;
}

export function aConfigMap(name: string, data: Record<string, string> = {}, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function aSecret(name: string, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, ...metadata } };
}

export function aPod(name: string, { metadata = {}, spec = {} }: { metadata?: Fields; spec?: Fields } = {}): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
  };
}

export function aJob(name: string, spec: Fields = {}, template: Fields = {}): Fields {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] }, ...template },
      ...spec,
    },
  };
}

/** The object with its status replaced, as PUT to …/status wants it. */
export function withStatus(object: Body, status: Fields): Body {
  return { ...object, status };
}

/** `causes[].field`, sorted, of a refusal. */
export function causeFields(body: Body): string[] {
  return (body.details?.causes ?? []).map((cause) => cause.field ?? '').toSorted();
}
