// What the scenarios ask for again and again: paths, requests, and small bodies that a server takes.
import type { Step } from './scenario.ts';

export const configMaps = '/api/v1/namespaces/{ns}/configmaps';
export const pods = '/api/v1/namespaces/{ns}/pods';
export const jobs = '/apis/batch/v1/namespaces/{ns}/jobs';
export const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';
export const leases = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases';

export const get = (path: string): Step => ({ method: 'GET', path });
export const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });
export const put = (path: string, body: unknown): Step => ({ method: 'PUT', path, body });
export const remove = (path: string, options?: object): Step => ({ method: 'DELETE', path, body: options });
export const patch = (path: string, contentType: string, body: unknown): Step => ({ method: 'PATCH', path, contentType, body });
export const apply = (path: string, body: unknown): Step => patch(`${path}?fieldManager=one`, 'application/apply-patch+yaml', body);

export const main = { name: 'main', image: 'busybox' };

/** What is given goes over what makes it a Job that is taken. */
export const aJob = (name: string, spec: object = {}, pod: object = {}, container: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ ...main, ...container }], ...pod } } },
});

/** Nothing is kept. */
export const dryJob = (...given: Parameters<typeof aJob>): Step => post(`${jobs}?dryRun=All`, aJob(...given));
export const dryPod = (spec: object, container: object = {}): Step =>
  post(`${pods}?dryRun=All`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ ...main, ...container }], ...spec },
  });
