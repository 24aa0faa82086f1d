// New Jobs whose pods have annotations that Kubernetes reads, taken and refused.
import type { PodSpec } from '../../../lib/objects/kubernetes.ts';
import { aJob, aTemplate } from './judge.ts';
import type { JobCase } from './judge.ts';

const annotated = (name: string, annotations: Record<string, string>, spec: Partial<PodSpec> = {}): JobCase => ({
  name,
  job: aJob({ template: aTemplate(spec, { annotations }) }),
  code: 201,
});
const refused = (name: string, annotations: Record<string, string>, ...fields: string[]): JobCase => ({
  ...annotated(name, annotations),
  code: 422,
  fields: fields.map((field) => `spec.template.annotations${field}`).toSorted(),
});
/** A template whose profiles are of one kind, in its spec, and by annotation of another. */
const disagreeing = (name: string, annotations: Record<string, string>, spec: Partial<PodSpec>, ...fields: string[]): JobCase => ({
  ...annotated(name, annotations, spec),
  code: fields.length === 0 ? 201 : 422,
  fields: fields.map((field) => `spec.template.spec.${field}`).toSorted(),
});

const cost = 'controller.kubernetes.io/pod-deletion-cost';
const mirror = 'kubernetes.io/config.mirror';
const appArmor = 'container.apparmor.security.beta.kubernetes.io';
const [seccomp, seccompOfMain] = ['seccomp.security.alpha.kubernetes.io/pod', 'container.seccomp.security.alpha.kubernetes.io/main'];
const ofHost = { type: 'Localhost', localhostProfile: 'a' };
const agreed = { seccompProfile: { type: 'RuntimeDefault' }, appArmorProfile: ofHost };

export const templateAnnotations: JobCase[] = [
  ...['1', '0', '-0', '-01', '2147483647', '-2147483648'].map((value) => annotated(`a cost of deletion of ${value}`, { [cost]: value })),
  ...['+1', '01', '', '-', '1.0', '2147483648', '-2147483649'].map((value) =>
    refused(`a cost of deletion of ${JSON.stringify(value)}`, { [cost]: value }, `[${cost}]`),
  ),
  annotated('a mirror on a node', { [mirror]: 'a' }, { nodeName: 'node-1' }),
  refused('a mirror on no node', { [mirror]: '' }, `[${mirror}]`),
  ...['runtime/default', 'unconfined', 'localhost/a', ''].map((value) =>
    annotated(`the AppArmor profile ${JSON.stringify(value)} by annotation`, { [`${appArmor}/main`]: value }),
  ),
  refused('an AppArmor profile that is none, by annotation', { [`${appArmor}/main`]: 'strict' }, `[${appArmor}/main]`),
  refused('an AppArmor profile of a container that is not there', { [`${appArmor}/other`]: 'unconfined' }, `[${appArmor}/other]`),
  ...['runtime/default', 'docker/default', 'unconfined', 'localhost/a'].map((value) =>
    annotated(`the seccomp profile ${value} by annotation`, { [seccomp]: value, [seccompOfMain]: value }),
  ),
  ...['strict', '', 'localhost//a', 'localhost/../a'].map((value) =>
    refused(
      `the seccomp profile ${JSON.stringify(value)} by annotation`,
      { [seccomp]: value, [seccompOfMain]: value },
      `.${seccomp}`,
      `.${seccompOfMain}`,
    ),
  ),
  disagreeing('profiles that agree', { [seccomp]: 'docker/default', [`${appArmor}/main`]: 'localhost/a' }, { securityContext: agreed }),
  disagreeing(
    'profiles of other kinds by annotation',
    { [seccomp]: 'unconfined', [seccompOfMain]: 'runtime/default', [`${appArmor}/main`]: 'unconfined' },
    { securityContext: agreed, containers: [{ name: 'main', image: 'busybox', securityContext: { seccompProfile: ofHost } }] },
    'securityContext.seccompProfile.type',
    'containers[0].securityContext.seccompProfile.type',
    'containers[0].securityContext.appArmorProfile.type',
  ),
  disagreeing(
    'profiles of other names by annotation',
    { [seccompOfMain]: 'localhost/b', [`${appArmor}/main`]: 'localhost/b' },
    { securityContext: agreed, containers: [{ name: 'main', image: 'busybox', securityContext: { seccompProfile: ofHost } }] },
    'containers[0].securityContext.seccompProfile.localhostProfile',
    'containers[0].securityContext.appArmorProfile.localhostProfile',
  ),
];
